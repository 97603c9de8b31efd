package wire

import (
	"encoding/json"
	"slices"
	"strings"
)

// Dropped tells of a part of the reply that nobody gets to see: its kind is none that arena knows.
func (c *Call) Dropped(kind string) { c.doubt("has a part that is left out (" + c.Excerpt(kind) + ")") }

// Role takes the role that a reply says it has: those of a user or a system are no model's.
func (c *Call) Role(role string) {
	switch role {
	case "", "assistant", "model", "ai", "bot":
	default:
		c.doubt("says that its role is " + c.Excerpt(role) + ", not assistant")
	}
}

// Beside tells of a field of the reply that nobody gets to see, when it holds something.
func (c *Call) Beside(field string, value json.RawMessage) {
	switch strings.Join(strings.Fields(string(value)), "") {
	case "", "null", `""`, "[]", "{}", "false":
	default:
		c.Dropped(field)
	}
}

// Ends tells of a reply that says twice why it ended, and not the same; before is "" the first time.
func (c *Call) Ends(before, now string) {
	if before != "" && before != now {
		c.doubt("says twice why it ended (" + c.Excerpt(before) + ", then " + c.Excerpt(now) + ")")
	}
}

// doubt adds to why the reply may not be all that the model said, or not what was counted.
func (c *Call) doubt(what string) {
	if !slices.Contains(c.doubts, what) {
		c.doubts = append(c.doubts, what)
	}
}

// goesOn tells of text, or a call, after the end of the reply.
func (c *Call) goesOn() { c.doubt("goes on after its end") }
