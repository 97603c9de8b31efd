package scenario

import (
	"regexp"
	"slices"
	"sync"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// A file that was written to be run must not be taken for a recording or a file of another tool: nobody would notice
// that its checks are missing.

// writtenKeys are keys of scenarios that no recording has.
var writtenKeys = []string{
	"task_type", "conversation_assertions", "assertions", "turn_assertions", "conversationAssertions", "taskType",
	"assert", "asserts", "checks", "mock", "trials", "variables", "tool_policy", "context_policy", "context_metadata",
	"seed_memories", "judge_gate", "on_failure", "provider_group", "required_capabilities", "skip", "output_schema",
}

// isWritten reports whether a map that looks like a recording is a scenario with a mistake.
func isWritten(n *node.Node) bool {
	if node.Get(n, "RunID") != nil { // written by a run
		return false
	}
	if slices.ContainsFunc(writtenKeys, func(key string) bool { return node.Get(n, key) != nil }) {
		return true
	}
	if turns := node.Get(n, "turns"); turns != nil && turns.Kind == node.List && !arePlayed(turns) {
		return true
	}
	messages := node.Get(n, "messages")
	if messages == nil || messages.Kind != node.List {
		return false
	}
	replies := len(messages.Content) == 0 || node.Get(n, "model") != nil
	for _, m := range messages.Content {
		if node.Get(m, "mock") != nil || node.Get(m, "assertions") != nil {
			return true
		}
		role := node.Get(m, "role")
		replies = replies || role == nil || role.Value != "user" && role.Value != "system" && role.Value != "developer"
	}
	return !replies
}

// arePlayed reports whether turns have replies.
func arePlayed(turns *node.Node) bool {
	return !slices.ContainsFunc(turns.Content, func(t *node.Node) bool {
		return node.Get(t, "role") != nil || node.Get(t, "assertions") != nil && node.Get(t, "response") == nil
	})
}

// holdsWritten reports whether a document of unknown kind was written for arena: it is a list of scenarios, or has a
// misspelled key.
func holdsWritten(n *node.Node) bool {
	switch n.Kind {
	case node.List:
		return slices.ContainsFunc(n.Content, func(item *node.Node) bool {
			k := recognise(item)
			return k == kindScenario || k == kindEval || k == kindPrompt
		})
	case node.Map:
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, v := n.Content[i].Value, n.Content[i+1]
			switch {
			case k == "conversation_assertions", k == "task_type", k == "turn_assertions":
				return true
			case v.Kind == node.List && diag.Nearest(k, listKeys) != "" && slices.ContainsFunc(v.Content, isTurnOrCheck):
				return true
			}
		}
	}
	return false
}

// listKeys are the keys of lists in runnable files.
var listKeys = []string{"turns", "assertions"}

// isTurnOrCheck reports whether a list entry is a turn or a check.
func isTurnOrCheck(n *node.Node) bool {
	return node.Get(n, "content") != nil || node.Get(n, "mock") != nil || node.Get(n, "assertions") != nil ||
		node.Get(n, "type") != nil && node.Get(n, "params") != nil
}

var writtenText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`["']?\b(turns|task_type|conversation_assertions|system_template|template_engine|prompt_configs|recording|` +
			`assertions|input_schema|mock_result|provider_specs|evals)\b["']?\s*:`)
})

// guessKind guesses the kind of a file that cannot be parsed by the first significant key in its text; "": none.
func guessKind(data []byte) kind {
	all := writtenText().FindAllSubmatch(data, -1)
	for _, m := range all {
		if string(m[1]) == "turns" {
			return kindScenario
		}
	}
	if len(all) == 0 {
		return ""
	}
	switch string(all[0][1]) {
	case "system_template":
		return kindPrompt
	case "template_engine", "evals":
		return kindPack
	case "recording":
		return kindEval
	case "input_schema", "mock_result":
		return kindTool
	case "assertions":
		return kindEval
	}
	return kindScenario
}
