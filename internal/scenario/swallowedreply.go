package scenario

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// replyOnly are keys that show that a text is meant as a mock reply: agents rarely say them.
var replyOnly = words("tool_calls", "error", "error_kind", "finish_reason", "latency_ms", "cost_usd")

// swallowedReply warns of a text with the keys of a mock reply, because the agent would say it.
func (d *decoder) swallowedReply(n *node.Node) {
	block := node.IsBlock(n)
	if !strings.Contains(n.Value, ":") || !slices.ContainsFunc(replyOnly, func(key string) bool {
		return strings.Contains(n.Value, key) && (block || key == "tool_calls")
	}) {
		return
	}
	text := d.BlockText(n)
	if json.Valid([]byte(text)) && !(block && strings.Contains(text, `"tool_calls"`)) { // an agent may reply with JSON
		return
	}
	var none diag.List
	docs := node.Parse(&node.Reader{Diags: &none}, []byte(text))
	if none.Errors() > 0 || len(docs) != 1 {
		return
	}
	entries := docs
	if docs[0].Kind == node.List {
		entries = docs[0].Content
	}
	for _, entry := range entries {
		if key := replyKey(entry, block); key != "" {
			hint := "take the quotes away"
			if block {
				hint = "take the | or > away"
			}
			d.Warnf(n, "swallowed-keys", "the reply is a text that holds the key %s of a reply", key).Hint =
				hint + ", so that it is read; if the agent says so, put the text in one pair of quotes, as JSON"
			return
		}
	}
}

// replyKey is the key that shows that a map is a mock reply; "": none. A text in quotes must have tool calls.
func replyKey(n *node.Node, block bool) string {
	if n.Kind != node.Map {
		return ""
	}
	found := ""
	for _, key := range node.Keys(n) {
		v := node.Get(n, key)
		switch {
		case !slices.Contains(mockTurnFields.names(), key):
			return ""
		case !slices.Contains(replyOnly, key) || found != "":
		case key == "tool_calls" && v.Kind == node.List, key != "tool_calls" && block && v.Kind == node.Scalar:
			found = key
		}
	}
	return found
}
