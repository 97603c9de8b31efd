package scenario

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/skill"
)

// packFile is a pack as written in a file.
type packFile struct {
	prompts      []*Prompt
	tools        []*Tool // without implementation
	evals        []*Eval
	fragments    map[string]string
	promptNode   *node.Node
	workflow     *Workflow
	skills       []*skill.Skill
	compositions []*Composition
	asked        bool // by the command line
}

var (
	packID  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9-]{0,99}$`) })
	version = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)
	})
)

// packFields are the keys of a pack.
var packFields = table("a pack", func() rows[packFile] {
	return rows[packFile]{
		remark[packFile]("$schema", text).doc(schemaKeyDoc),
		custom("id", text, matching[packFile]("id", packID, "small letters, digits and -, a letter first")).must().
			because(keys.ForPeople).doc("The name of the pack."),
		remark[packFile]("name", text).must().doc("The title of the pack, for people."),
		custom("version", text, matching[packFile]("version", version, "a version such as 1.2.0")).must().
			because(keys.ForPeople).doc("The version of the pack, such as 1.2.0."),
		remark[packFile]("description", text).doc("What the pack is for, for people."),
		remark[packFile]("template_engine", templateEngineFields).must().
			doc("How placeholders are written; arena knows one way."),
		custom("prompts", mapOf(packPromptFields), func(_ *decoder, p *packFile, v *node.Node) {
			p.promptNode = v
		}).must().doc("The prompts, by task type."),
		strMap("fragments", func(p *packFile) *map[string]string { return &p.fragments }).
			doc("Texts that prompts take in, by name."),
		custom("tools", mapOf(packToolFields), readPackTools).doc("The tools, by name."),
		evalList("evals", func(p *packFile) *[]*Eval { return &p.evals }).doc("Checks that measure quality."),
		custom("workflow", workflowFields, func(d *decoder, p *packFile, v *node.Node) { p.workflow = d.workflow(v) }).
			doc("The states through which conversations go."),
		custom("compositions", mapOf(compositionFields), func(d *decoder, p *packFile, v *node.Node) {
			p.compositions = d.compositions(v)
		}).doc("Steps that states of the workflow run, by name."),
		custom("skills", listOf(skillFields), func(d *decoder, p *packFile, v *node.Node) {
			p.skills = d.skills(v, skillBase{filepath.Dir(d.File), "pack"})
		}).
			doc("Folders of skills, beside the pack or else from the folder of the config, or skills."),
		idle[packFile]("agents", packAgentFields, "they are for deployment; conversations are with one prompt each"),
		remark[packFile]("metadata", anyMap).doc("Further facts about the pack, for people and other tools."),
		remark[packFile]("compilation", anyMap).doc("How the pack was made, for people and other tools."),
	}
})

var packAgentFields = table("agents", func() rows[struct{}] {
	return rows[struct{}]{
		inside[struct{}]("entry", text).must().doc("The member with whom conversations begin."),
		inside[struct{}]("members", mapOf(part("a member",
			inside[struct{}]("description", text).doc("What the member is for."),
			inside[struct{}]("tags", texts).doc("Words to find the member by."),
			inside[struct{}]("input_modes", texts).doc("The media types that the member takes."),
			inside[struct{}]("output_modes", texts).doc("The media types that the member answers with."),
			inside[struct{}]("state", text).doc("The state of the workflow that is the member."),
		))).must().doc("The agents of the deployment, by name."),
	}
})

// packPromptFields are the keys of a prompt in a pack, which differ from those of a prompt of its own.
var packPromptFields = table("a prompt of a pack", func() rows[promptFile] {
	return rows[promptFile]{
		label("id", func(p *promptFile) *string { return &p.ID }).must().doc("The id of the prompt."),
		remark[promptFile]("name", text).must().doc("The title of the prompt, for people."),
		custom("version", text, matching[promptFile]("version", version, "a version such as 1.2.0")).must().
			because(keys.ForPeople).doc("The version of the prompt, such as 1.2.0."),
		str("description", func(p *promptFile) *string { return &p.Description }).doc("What the prompt is for."),
		custom("system_template", text, readSystemTemplate).must().doc("The system prompt; may hold {{placeholders}}."),
		custom("variables", listOf(variableFields), readVariables).doc("The placeholders, with defaults."),
		custom("tools", texts, readAllowedTools("tools")).
			doc("The tools that the model is offered; a trailing * stands for any end."),
		toolPolicy(func(p *promptFile, limits *ToolPolicy) { p.ToolPolicy = limits }).doc("Limits for tool calls."),
		custom("parameters", parameterFields, readParameters).doc("Parameters of the model calls."),
		custom("validators", listOf(validatorFields), readValidators).doc("Guardrails on what users and models say."),
		evalList("evals", func(p *promptFile) *[]*Eval { return &p.Evals }).doc("Checks that measure quality."),
		custom("model_overrides", mapOf(overrideFields), readOverrides).doc("Other texts for certain models."),
		idle[promptFile]("pipeline", anyMap, "replies and their checks take the way that arena has for all of them"),
		remark[promptFile]("tested_models", listOf(anyMap)).doc("The models with which the prompt was tested, for people."),
		idle[promptFile]("media", anyMap, "what it allows is not enforced; no message is refused"),
		gone[promptFile]("allowed_tools", `a prompt of a pack names its tools with "tools"`, "rename the key"),
		gone[promptFile]("task_type", "the key of a prompt in prompts is its task type", "remove the line"),
	}
}).strays(promptWords)

func matching[T any](name string, re func() *regexp.Regexp, like string) func(*decoder, *T, *node.Node) {
	return func(d *decoder, _ *T, v *node.Node) {
		if s, ok := d.Name(v, name); ok && !re().MatchString(s) {
			d.Errorf(v, "wrong-name", "%s %q must be %s", name, s, like)
		}
	}
}

type packTool struct {
	name *node.Node
	*Tool
}

var packToolFields = table("a tool of a pack", func() rows[packTool] {
	return rows[packTool]{
		custom("name", text, func(d *decoder, t *packTool, v *node.Node) {
			t.name = v
			t.ID, _ = d.Name(v, "name")
			t.Pos = d.Pos(v)
		}).must().doc("The name by which models call it."),
		str("description", func(t *packTool) *string { return &t.Description }).must().
			asIs().doc("What models are told about it."),
		custom("parameters", wireMap, func(d *decoder, t *packTool, v *node.Node) {
			t.InputPos = d.Pos(v)
			t.InputSchema = d.jsonSchema(v, "parameters")
		}).doc("JSON Schema of the arguments."),
	}
})

func readPackTools(d *decoder, p *packFile, v *node.Node) {
	d.Each(v, "tools", func(key string, k, item *node.Node) {
		t := packTool{Tool: &Tool{Meta: Meta{ID: key, Pos: d.Pos(k)}, File: d.File}}
		if !packToolFields.read(d, item, &t) {
			return
		}
		if t.InputSchema == nil {
			t.InputSchema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		p.tools = append(p.tools, t.Tool)
	})
}

// pack reads a pack.
func (d *decoder) pack(doc document) *packFile {
	p := &packFile{}
	if !packFields.read(d, doc.spec, p) {
		return nil
	}
	if p.promptNode != nil {
		d.Each(p.promptNode, "prompts", func(task string, k, item *node.Node) {
			f := promptFile{Prompt: &Prompt{Meta: Meta{Pos: d.Pos(k)}, File: d.File, TaskType: task}}
			if !packPromptFields.read(d, item, &f) {
				return
			}
			if f.ID == "" {
				f.ID = task
			}
			d.completePrompt(&f, p.fragments)
			p.prompts = append(p.prompts, f.Prompt)
		})
	}
	if agents := node.Get(doc.spec, "agents"); agents != nil {
		d.packAgents(agents, p.workflow)
	}
	return p
}

// packAgents checks the names that agents refer to: a member, and states of the workflow.
func (d *decoder) packAgents(n *node.Node, w *Workflow) {
	members := node.Get(n, "members")
	if members == nil || members.Kind != node.Map {
		return
	}
	names := node.Keys(members)
	if entry := node.Get(n, "entry"); entry != nil && len(names) > 0 {
		d.oneOfNames(entry, "member", names)
	}
	for _, name := range names {
		switch state := node.Get(node.Get(members, name), "state"); {
		case state == nil:
		case w == nil:
			d.Errorf(state, "no-workflow", "there is no state %q: the pack has no workflow", state.Value)
		case len(w.names) > 0:
			d.oneOfNames(state, "state", w.names)
		}
	}
}
