package wire

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// sign is what a server says about the end of a reply beside its finish reason.
type sign struct{ field, word string }

// Says notes what a server says about the end of the reply in another field than its finish reason. It becomes a doubt
// where the finish reason says that the model came to its end, and this that something else ended it.
func (c *Call) Says(field, word string) {
	if chat.Stopped(word) {
		c.sign(field, word)
	}
}

// Word is the word in a field that is a text, or an object with a type; "": it is neither. It may have any form: nobody
// needs it to read the reply.
func Word(raw json.RawMessage) string {
	var text string
	if IsNull(raw) || json.Unmarshal(raw, &text) == nil {
		return text
	}
	var object struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal(raw, &object) // "": it has none
	return object.Type
}

// Filters notes what a server says about filters: a list or map of their results, of which those that removed something
// say filtered or blocked.
func (c *Call) Filters(field string, results json.RawMessage) {
	if IsNull(results) {
		return
	}
	var v any
	if json.Unmarshal(results, &v) == nil {
		c.filters(field, "", v)
	}
}

func (c *Call) filters(field, name string, v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			c.filters(field, name, item)
		}
	case jsonvalue.Object:
		if category, is := v["category"].(string); is {
			name = category
		}
		if v["filtered"] == true || v["blocked"] == true {
			c.sign(field, name)
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			c.filters(field, key, v[key])
		}
	}
}

func (c *Call) sign(field, word string) {
	if s := (sign{field, c.Excerpt(word)}); !slices.Contains(c.signs, s) {
		c.signs = append(c.signs, s)
	}
}

// contradicted adds the doubts about a reply that came to its end, as its finish reason says, and did not, as something
// else says.
func (c *Call) contradicted(finish string) {
	if !chat.Complete(finish) {
		return
	}
	for _, s := range c.signs {
		c.doubt("says in " + s.field + " that it was stopped (" + s.word + "), and its finish reason does not")
	}
}
