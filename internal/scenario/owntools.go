package scenario

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/skill"
	"github.com/arena-evals/arena/internal/workflow"
)

// memoryTools are the tools of a memory, sorted.
var memoryTools = []string{"memory__forget", "memory__list", "memory__recall", "memory__remember"}

// mediaTools are the tools that come with models that generate media, by the role of the model.
var mediaTools = map[string]string{"image": "image__generate", "video": "video__generate"}

// OwnTools returns the names of the tools that come with features of a project, whatever its prompts allow.
func (p *Project) OwnTools() []string {
	names := []string{}
	if w := p.Workflow; w != nil && w.Graph != nil {
		moves := func(s *workflow.State) bool { return !s.Ends() && s.Mode != workflow.External }
		if slices.ContainsFunc(w.States, moves) {
			names = append(names, workflow.TransitionTool)
		}
		if len(w.Graph.ArtifactNames()) > 0 {
			names = append(names, workflow.ArtifactTool)
		}
	}
	if p.Memory {
		names = append(names, memoryTools...)
	}
	if p.Skills != nil {
		names = append(names, skill.ToolNames...)
	}
	for _, q := range p.Providers {
		if tool := mediaTools[q.Makes()]; tool != "" && !slices.Contains(names, tool) {
			names = append(names, tool)
		}
	}
	return names
}

// MediaTool is the tool with which an agent calls models that generate media of a kind.
func MediaTool(what string) string { return mediaTools[what] }

// ownPrefixes begin the names of arena's tools.
var ownPrefixes = []string{"workflow__", "skill__", "memory__", "image__", "video__"}

// isOwn reports whether a name is reserved for arena's tools.
func isOwn(tool string) bool {
	return slices.ContainsFunc(ownPrefixes, func(prefix string) bool { return strings.HasPrefix(tool, prefix) })
}

// laterTools are tools that come with features and that this version cannot run.
func (p *Project) laterTools() (names []string) {
	if _, there := p.Has(FeatureInstalledSkills); there {
		names = append(names, skill.ToolNames...)
	}
	if p.Workflow != nil && p.Workflow.Graph == nil { // it is invalid, which is reported
		names = append(names, workflow.TransitionTool, workflow.ArtifactTool)
	}
	for _, q := range p.Providers {
		if tool := mediaTools[q.Role]; tool != "" {
			names = append(names, tool)
		}
	}
	return names
}

// mayBeOwn reports whether a name, or a pattern that ends in *, matches a tool that arena adds to the project.
func (p *Project) mayBeOwn(tool string) bool {
	prefix, wild := strings.CutSuffix(tool, "*")
	return slices.ContainsFunc(append(p.OwnTools(), p.laterTools()...), func(name string) bool {
		return name == tool || wild && strings.HasPrefix(name, prefix)
	})
}

// ownToolsTwice reports tools of the project with the name of a tool that arena adds: a model can call only one of
// them.
func (b *build) ownToolsTwice() {
	own := b.p.OwnTools()
	for _, list := range [][]*Tool{b.p.Tools, b.unbound} {
		for _, t := range list {
			if slices.Contains(own, t.ID) {
				b.l.diags.Errorf(t.Pos, utf8.RuneCountInString(t.ID), "duplicate-id",
					"the tool %q is called like one that arena brings to this project: a model could call only one of them", t.ID).
					Hint = "give it another name"
			}
		}
	}
}
