package scenario

import (
	"slices"

	"github.com/arena-evals/arena/internal/node"
)

// kind is what a document describes.
type kind string

// The kinds that a document may name.
const (
	kindArena    kind = "Arena"
	kindScenario kind = "Scenario"
	kindPrompt   kind = "PromptConfig"
	kindProvider kind = "Provider"
	kindTool     kind = "Tool"
	kindPersona  kind = "Persona"
	kindEval     kind = "Eval"
	kindRuntime  kind = "RuntimeConfig"
	kindLogging  kind = "Logging"
)

// The kinds that have no envelope and are known by their keys alone.
const (
	kindPack      kind = "pack"
	kindMock      kind = "mock responses"
	kindRecording kind = "recording"
	kindFragment  kind = "fragment"
	kindProgram   kind = "run_command scenario"
	kindCriteria  kind = "criteria of a judge"
)

const (
	// kindUnknown is what a document names as its kind and no kind is.
	kindUnknown kind = "unknown"
	// kindForeign is a file of another tool that has a sign of ours.
	kindForeign kind = "foreign"
	// kindPromptfoo is a config of promptfoo, whose prompts and tests could be taken for those of a pack.
	kindPromptfoo kind = "config of promptfoo"
)

var envelopeKinds = []string{
	string(kindArena), string(kindScenario), string(kindPrompt), string(kindProvider), string(kindTool),
	string(kindPersona), string(kindEval), string(kindRuntime), string(kindLogging),
}

// signs find the kind of a document without an envelope: the first entry of which every key is present decides.
var signs = []struct {
	kind kind
	keys []string
}{
	{kindArena, []string{"prompt_configs"}}, // keys that no other kind has, whatever other keys there are
	{kindArena, []string{"self_play"}},
	{kindArena, []string{"provider_specs"}},
	{kindArena, []string{"scenario_specs"}},
	{kindArena, []string{"scenarios", "providers"}},
	{kindProgram, []string{"run_command"}},
	{kindProgram, []string{"checks", "input"}},
	{kindProgram, []string{"criteria", "input"}},
	{kindCriteria, []string{"criterion", "pass"}},
	{kindCriteria, []string{"criterion", "pass_definition"}},
	{kindRecording, []string{"Messages", "RunID"}},
	{kindPrompt, []string{"system_template", "messages"}},
	{kindPack, []string{"template_engine", "messages"}},
	{kindRecording, []string{"messages"}},
	{kindRecording, []string{"events", "metadata"}},
	{kindRecording, []string{"scenario_id", "turns"}},
	{kindEval, []string{"recording"}},
	{kindScenario, []string{"turns"}},
	{kindScenario, []string{"conversation_assertions", "task_type"}},
	{kindScenario, []string{"dataset", "input_field"}}, // which makes its only turn
	{kindEval, []string{"assertions"}},
	{kindFragment, []string{"fragment_type"}},
	{kindPersona, []string{"goals"}},
	{kindPersona, []string{"constraints"}},
	{kindPersona, []string{"system_prompt"}},
	{kindPack, []string{"prompts"}},
	{kindPrompt, []string{"system_template"}},
	{kindPack, []string{"template_engine"}},
	{kindTool, []string{"input_schema"}},
	{kindTool, []string{"mock_result"}},
	{kindTool, []string{"mock_template"}},
	{kindTool, []string{"name", "parameters"}},
	{kindProvider, []string{"type", "model"}},
	{kindProvider, []string{"type", "additional_config"}},
	{kindProvider, []string{"type", "base_url"}},
	{kindProvider, []string{"type", "credential"}},
	{kindMock, []string{"defaultResponse"}},
	{kindMock, []string{"selfplay"}},
	{kindRuntime, []string{"hooks"}},
	{kindRuntime, []string{"sandboxes"}},
	{kindRuntime, []string{"selectors"}},
	{kindLogging, []string{"defaultLevel"}},
	{kindLogging, []string{"commonFields"}},
}

// isPromptfoo reports whether a map is a config of promptfoo: prompts as texts, and what they are held against.
func isPromptfoo(n *node.Node) bool {
	prompts := node.Get(n, "prompts")
	for _, ours := range [...]string{"scenarios", "scenario_specs", "prompt_configs", "judges", "self_play"} {
		if node.Get(n, ours) != nil {
			return false
		}
	}
	return prompts != nil && prompts.Kind != node.Map && node.Get(n, "template_engine") == nil &&
		slices.ContainsFunc([]string{"providers", "targets", "tests", "defaultTest"}, func(key string) bool {
			return node.Get(n, key) != nil
		})
}

// recognise finds the kind of a map by its keys; "": they fit no kind.
func recognise(n *node.Node) kind {
	if isPromptfoo(n) {
		return kindPromptfoo
	}
	for _, s := range signs {
		switch {
		case slices.ContainsFunc(s.keys, func(key string) bool { return node.Get(n, key) == nil }):
		case s.kind == kindPersona && slices.ContainsFunc(node.Keys(n), onlyInPrompts):
			return kindPrompt
		case s.kind != kindRecording:
			return s.kind
		case !isWritten(n):
			if messages := node.Get(n, "messages"); messages != nil && messages.Kind == node.Map {
				return kindForeign // texts by their names
			}
			return kindRecording
		case node.Get(n, "recording") != nil:
			return kindEval
		default:
			return kindScenario
		}
	}
	// These keys hold a list in one kind and a map in another.
	switch v := node.Get(n, "scenarios"); {
	case v != nil && v.Kind == node.Map:
		return kindMock
	case v != nil:
		return kindArena
	}
	switch v := node.Get(n, "judges"); {
	case v != nil && v.Kind == node.Map:
		return kindMock
	case v != nil:
		return kindArena
	}
	if v := node.Get(n, "providers"); v != nil && v.Kind == node.List {
		return kindArena
	}
	return ""
}

// onlyInPrompts reports whether prompts have a key and personas have not: system_prompt is what other tools call the
// text of a prompt.
func onlyInPrompts(key string) bool {
	return key == "tools" || slices.Contains(promptFields.names(), key) && !slices.Contains(personaFields.names(), key)
}

// signNames lists the keys by which documents are known, for the hint when one fits nothing.
func signNames() []string {
	var names []string
	for _, s := range signs {
		names = append(names, s.keys...)
	}
	names = append(names, "scenarios", "providers", "judges", "spec", "kind")
	slices.Sort(names)
	return slices.Compact(names)
}

// specKey reports whether a key belongs to the values of some kind.
func specKey(key string) bool {
	return slices.ContainsFunc([][]string{
		arenaFields.names(), scenarioFields.names(), promptFields.names(), providerFields.names(), toolFields.names(),
		personaFields.names(), recordingEvalFields.names(), runtimeFields.names(), turnFields.names(),
	}, func(names []string) bool { return slices.Contains(names, key) })
}
