package scenario

import (
	"slices"
	"strings"
	"unicode"

	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// Some maps take any key: what stands there is the author's own, or is meant for a tool or a server. A check that
// slipped in there is read by nobody, and so would never fail.

// placement is a hint where keys of checks belong.
func placement(key string) string {
	switch key {
	case "assertions", "turn_assertions":
		return "put it below the turn that it judges; for the whole conversation write conversation_assertions beside turns"
	case "conversation_assertions":
		return "put it beside turns, at the level of the scenario"
	case "checks":
		return "write them as assertions below a turn, or as conversation_assertions beside turns"
	case "when", "min_score", "max_score", "pass_threshold":
		return "put it beside the type of the check that it is about"
	case "on_failure", "judge_gate":
		return "put it beside turns, at the level of the scenario"
	case "fail_on":
		return "put it below defaults of the config"
	case "validators", "guardrails":
		return "write validators at the level of the prompt, beside system_template"
	case "evals", "pack_evals":
		return "write evals at the level of the pack or the prompt, or pack_evals in the config"
	case "should_trigger":
		return "put it below the params of guardrail_triggered"
	}
	return ""
}

// placementHint is placement for a key that its map does not have.
func placementHint(key string) string {
	switch key {
	case "all_turns":
		return "put it into an entry of turns in a file of kind Eval, which judges recordings; in a scenario write " +
			"assertions below each turn"
	case "context_policy", "tool_policy", "seed_memories":
		return "put it into each scenario that it is for, beside turns"
	case "trials":
		return "put it at the level of the scenario, beside turns"
	case "pass_rate", "tolerance", "confidence":
		return "write it below trials: trials: {pass_rate: 0.8, max: 50}"
	case "chaos":
		return "put it into the turn in which tools are to fail"
	case "image_url", "video_url", "audio_url", "document_url", "input_audio":
		return "write type: image, audio, video or document, and media: with its file_path or url"
	}
	return placement(key)
}

// snake converts a key to snake case: conversationAssertions and conversation-assertions become
// conversation_assertions. Names in capitals, such as environment variables, stay.
func snake(key string) string {
	if strings.ToUpper(key) == key {
		return key
	}
	var b strings.Builder
	before := rune('_')
	for _, c := range strings.TrimSpace(key) {
		if c == '-' || c == ' ' {
			c = '_'
		}
		if unicode.IsUpper(c) && before != '_' {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
		before = c
	}
	return b.String()
}

// misplaced reports keys of checks in a value that arena does not read.
func (d *decoder) misplaced(s keys.Shape, n *node.Node, what string) {
	switch s := s.(type) {
	case anyShape:
		d.strayChecks(n, s.reader, what)
	case keys.Map:
		d.misplacedIn(s, n, what)
	case keys.List:
		if n.Kind == node.List {
			for _, v := range n.Content {
				d.misplaced(s.Item, v, what)
			}
		}
	}
}

func (d *decoder) misplacedIn(s keys.Map, n *node.Node, what string) {
	switch of := s.Value.(type) {
	case anyShape:
		d.strayChecks(n, of.reader, what)
	case keys.Text, writtenShape, keys.Words, keys.Number, keys.Bool, keys.List:
		reads := nobody
		if what == "annotations" {
			reads = people
		}
		d.strayChecks(n, reads, what)
	}
}

// strayChecks searches a value with free keys for misplaced checks.
func (d *decoder) strayChecks(n *node.Node, reads reader, what string) {
	if reads == arena {
		return
	}
	switch n.Kind {
	case node.List:
		for _, v := range n.Content {
			d.strayChecks(v, reads, what)
		}
	case node.Map:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if k, v := n.Content[i], n.Content[i+1]; !d.stray(k, v, reads, what) {
				d.strayChecks(v, reads, what)
			}
		}
	}
}

// stray reports a key of checks in a place that arena does not read, and checks below a key of any name. Tools and
// servers may use such keys for something else, unless they hold checks.
func (d *decoder) stray(k, v *node.Node, reads reader, what string) bool {
	where := placement(snake(k.Value))
	switch {
	case where == "" && reads != others && isChecks(v) && haveParams(v):
		where = placement("checks")
	case where == "" || reads == others && !isChecks(v):
		return false
	default:
		where += "; a key of your own needs another name"
	}
	report := d.Errorf
	if reads == people && v.Kind == node.Scalar && !strings.HasSuffix(snake(k.Value), "assertions") {
		report = d.Warnf // a remark in words, perhaps
	}
	report(k, "misplaced-check",
		"%q is below %s, where arena does not read it: it would never fail", k.Value, what).
		Hint = where
	return true
}

// haveParams reports whether each entry of a list has parameters, as hardly anything but checks does.
func haveParams(n *node.Node) bool {
	return !slices.ContainsFunc(n.Content, func(v *node.Node) bool { return !slices.Contains(node.Keys(v), "params") })
}

// isChecks reports whether a value is almost certainly a list of checks.
func isChecks(n *node.Node) bool {
	if n.Kind != node.List || len(n.Content) == 0 {
		return false
	}
	known := checkFields.names()
	for _, v := range n.Content {
		keys := node.Keys(v)
		named := slices.Contains(keys, "type") && (len(keys) == 1 || slices.Contains(keys, "params"))
		if !named || slices.ContainsFunc(keys, func(k string) bool { return !slices.Contains(known, k) }) {
			return false
		}
	}
	return true
}
