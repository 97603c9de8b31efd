package wire

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// sign is a field other than the finish reason that says how a reply ended.
type sign struct{ field, word string }

// Says notes a field, other than the finish reason, that says how the reply ended. It becomes a doubt if the finish
// reason says that the model finished, and this field that something else stopped it.
func (c *Call) Says(field, word string) {
	if chat.Stopped(word) {
		c.sign(field, word)
	}
}

// Word returns a field that is a text, or the type of an object; "" for any other form, since no reply depends on it.
func Word(raw json.RawMessage) string {
	var text string
	if IsNull(raw) || json.Unmarshal(raw, &text) == nil {
		return text
	}
	var object struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal(raw, &object) // it stays "" when there is none
	return object.Type
}

// Filters notes the results of a server's content filters, a list or a map. Filters that removed something have the key
// filtered or blocked set.
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

// contradicted adds doubts about a reply whose finish reason says that it is complete, while other fields say that it
// was stopped.
func (c *Call) contradicted(finish string) {
	if !chat.Complete(finish) {
		return
	}
	for _, s := range c.signs {
		c.doubt("was stopped according to " + s.field + " (" + s.word + "), but not according to its finish reason")
	}
}
