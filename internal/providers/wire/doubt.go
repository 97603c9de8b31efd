package wire

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
)

// Dropped notes that a part of an unknown kind is left out of the reply.
func (c *Call) Dropped(kind string) { c.doubt("has a part that is left out (" + c.Excerpt(kind) + ")") }

// Lacks notes that a piece of the reply lacks the field with its content, so text may be lost.
func (c *Call) Lacks(piece, field string) { c.doubt("has " + piece + " without " + field) }

// Unargued notes a call of an offered tool without arguments, unless the tool takes none.
func (c *Call) Unargued(name string) {
	if slices.ContainsFunc(c.Request.Tools, func(t chat.Tool) bool { return t.Name == name && takesArgs(t.Schema) }) {
		c.Lacks("a call of "+c.Excerpt(name), "arguments")
	}
}

// takesArgs reports whether a schema of arguments has any properties.
func takesArgs(schema json.RawMessage) bool {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	return json.Unmarshal(schema, &s) != nil || len(s.Properties) > 0
}

// IsNull reports whether a field is null or missing.
func IsNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// Role notes a reply with another role than that of the model.
func (c *Call) Role(role string) {
	switch role {
	case "", "assistant", "model", "ai", "bot":
	default:
		c.doubt("says that its role is " + c.Excerpt(role) + ", not assistant")
	}
}

// Beside notes that a field of the reply is left out, if it has content.
func (c *Call) Beside(field string, value json.RawMessage) {
	switch strings.Join(strings.Fields(string(value)), "") {
	case "", "null", `""`, "[]", "{}", "false":
	default:
		c.Dropped(field)
	}
}

// Ends notes a reply with two different finish reasons; before is "" for the first.
func (c *Call) Ends(before, now string) {
	if before != "" && before != now {
		c.doubt("says twice why it ended (" + c.Excerpt(before) + ", then " + c.Excerpt(now) + ")")
	}
}

// Elsewhere notes why the text of the reply may not be what the answer says.
func (c *Call) Elsewhere(why string) { c.doubt(why) }

// doubt adds a reason why the reply may be incomplete or its counts may be wrong.
func (c *Call) doubt(what string) {
	if !slices.Contains(c.doubts, what) {
		c.doubts = append(c.doubts, what)
	}
}

// goesOn notes text or a tool call after the end of the reply.
func (c *Call) goesOn() { c.doubt("goes on after its end") }
