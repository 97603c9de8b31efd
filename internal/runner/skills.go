package runner

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/skill"
	"github.com/arena-evals/arena/internal/tools"
	"github.com/arena-evals/arena/internal/tools/own"
	"github.com/arena-evals/arena/internal/workflow"
)

// skills are the skills of a project, and those that each state of its workflow allows.
type skills struct {
	set     *skill.Set
	filters map[*workflow.State]skill.Filter
	offers  map[*workflow.State][]chat.Tool // the skill tools; under nil those without a workflow
}

// newSkills returns the skills of a project; nil when it has none. Tools that the project does not have come with no
// skill.
func newSkills(p *scenario.Project, registry *tools.Registry) *skills {
	if p.Skills == nil {
		return nil
	}
	s := &skills{
		set: p.Skills.WithTools(registry.Has), filters: map[*workflow.State]skill.Filter{},
		offers: map[*workflow.State][]chat.Tool{},
	}
	states := []*workflow.State{nil}
	if p.Workflow != nil {
		states = p.Workflow.States
	}
	for _, state := range states {
		if state != nil {
			// A broken filter was reported with the file. It allows nothing.
			s.filters[state], _ = skill.NewFilter(state.Skills)
		}
		s.offers[state] = own.Skills(s.set.Allowed(s.filters[state]))
	}
	return s
}

// open begins the skills of a trial that is to be run; nil when there are none.
func (k *skills) open(t *Trial) *skill.Session {
	if k == nil || t.Recorded != nil || t.Finished != nil {
		return nil
	}
	return k.set.Open(k.filters[t.Start]) // without a workflow all are allowed
}

// withSkills adds to the tools that a prompt is offered those of the skills: the tools that activate them, and the
// tools that active ones bring along.
func (s *session) withSkills(offered []chat.Tool) []chat.Tool {
	if s.skills == nil {
		return offered
	}
	var state *workflow.State
	if s.flow != nil && s.flow.machine != nil {
		state = s.flow.machine.Current()
	}
	offered = append(slices.Clone(offered), s.trial.Project.skills.offers[state]...)
	offered = append(offered, s.trial.Project.tools.Offered(s.skills.Tools())...)
	sortTools(offered)
	return slices.CompactFunc(offered, func(a, b chat.Tool) bool { return a.Name == b.Name })
}

// preloaded is the text of skills that are always active, for the system prompt of a state; "": none.
func (s *session) preloaded() string {
	var b strings.Builder
	for _, one := range s.alwaysActive() {
		if b.Len() == 0 {
			b.WriteString("# Active Skills")
		}
		b.WriteString("\n\n## " + one.Name + "\n\n" + one.Instructions)
	}
	return b.String()
}

// alwaysActive are the skills that are active in the present state without being asked for.
func (s *session) alwaysActive() []*skill.Skill {
	k := s.trial.Project.skills
	switch {
	case s.skills != nil:
		return s.skills.Preloaded()
	case k == nil || s.trial.Finished == nil:
		return nil
	}
	var state *workflow.State
	if f := s.flow; f != nil && f.graph != nil {
		state = f.graph.State(f.current)
	}
	return k.set.Open(k.filters[state]).Preloaded()
}

// skillCall answers a call of one of the skill tools.
func (s *session) skillCall(call chat.ToolCall) (any, error) {
	text := func(name string) string {
		value, _ := call.Args[name].(string) // as the signature says
		return value
	}
	if call.Name == skill.ResourceTool {
		content, err := s.skills.Resource(text("skill_name"), text("path"))
		return struct {
			Content string `json:"content"`
		}{content}, err
	}
	name := text("name")
	if call.Name == skill.ActivateTool {
		one, err := s.skills.Activate(name)
		if err != nil {
			return nil, err
		}
		s.offerAgain()
		return struct {
			Instructions string   `json:"instructions"`
			Added        []string `json:"added_tools"`
		}{one.Instructions, listOrEmpty(one.Tools)}, nil
	}
	removed, err := s.skills.Deactivate(name)
	if err != nil {
		return nil, err
	}
	s.offerAgain()
	return struct {
		Removed []string `json:"removed_tools"`
	}{listOrEmpty(removed)}, nil
}

func listOrEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// answered is the result of a call of one of arena's own tools.
func answered(call chat.ToolCall, answer any, err error) chat.ToolResult {
	if err != nil {
		return tools.Failure(call, chat.ErrorExecution, err.Error())
	}
	text, err := jsonvalue.Plain(answer)
	if err != nil { // cannot happen with texts
		return tools.Failure(call, chat.ErrorExecution, err.Error())
	}
	return chat.ToolResult{ID: call.ID, Name: call.Name, Content: string(text)}
}

// skillFiles sums the files that models can read of skills, by skill and path within its folder. It leaves out
// SKILL.md, which is a part of the skill, and files that cannot be read: the model gets an error for them.
func skillFiles(p *scenario.Project) map[string]string {
	if p.Skills == nil {
		return nil
	}
	files := map[string]string{}
	for _, one := range p.Skills.All() {
		if one.Dir == "" || one.Path == "." { // the folder of the config holds what runs write, too
			continue
		}
		_ = filepath.WalkDir(one.Dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || path == filepath.Join(one.Dir, skill.File) {
				return nil // the rest of the folder is read all the same
			}
			if info, err := entry.Info(); err != nil || info.Size() > skill.MaxFile {
				return nil // a model cannot read it
			}
			if rel, err := filepath.Rel(one.Dir, path); err == nil {
				files[one.Name+"/"+filepath.ToSlash(rel)] = string(scenario.FileDigest(path))
			}
			return nil
		})
	}
	return files
}
