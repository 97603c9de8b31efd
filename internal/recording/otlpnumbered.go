package recording

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
)

// numberedMessage is the attributes of one message, such as gen_ai.prompt.0.role.
type numberedMessage struct {
	object
	calls map[int]map[string]value // such as gen_ai.prompt.0.tool_calls.1.name
}

// numbered reads messages whose fields are single attributes.
func (r *spanReader) numbered(attrs attributes, prefix string, role chat.Role) (out []event) {
	messages := map[int]*numberedMessage{}
	for _, key := range slices.Sorted(maps.Keys(attrs)) {
		i, field, ok := splitKey(key, prefix)
		if !ok {
			continue
		}
		m := messages[i]
		if m == nil {
			m = &numberedMessage{object{value{at: r.at}, map[string]value{}}, map[int]map[string]value{}}
			messages[i] = m
		}
		m.set(field, attrs[key])
	}
	for i := range len(messages) {
		m := messages[i]
		if m == nil {
			r.b.problems.Errorf(r.pos, 1, "lost-message", "the span has %d messages in %s.*, but none with the number %d",
				len(messages), prefix, i).Hint = "attributes were dropped on the way; raise the limit of attributes of a span"
			return out
		}
		if calls := m.toolCalls(); calls != nil {
			m.members["toolcalls"] = value{calls, r.at}
		}
		out = append(out, r.b.splitMessage(m.object, r.pos, role)...)
	}
	return out
}

// splitKey splits a key such as gen_ai.prompt.12.role into number and field.
func splitKey(key, prefix string) (i int, field string, ok bool) {
	rest, ok := strings.CutPrefix(key, prefix+".")
	if !ok {
		return 0, "", false
	}
	number, field, ok := strings.Cut(rest, ".")
	i, err := strconv.Atoi(number)
	return i, field, ok && err == nil && i >= 0
}

func (m *numberedMessage) set(field string, v value) {
	i, part, ok := splitKey(field, "tool_calls")
	if !ok {
		m.members[foldKey([]byte(field))] = parseNested(field, v)
		return
	}
	if m.calls[i] == nil {
		m.calls[i] = map[string]value{}
	}
	m.calls[i][part] = v
}

// toolCalls returns the calls of a message as JSON; nil when there are none.
func (m *numberedMessage) toolCalls() []byte {
	if len(m.calls) == 0 {
		return nil
	}
	var list []json.RawMessage
	for _, i := range slices.Sorted(maps.Keys(m.calls)) {
		var fields []json.RawMessage
		for _, name := range slices.Sorted(maps.Keys(m.calls[i])) {
			if v := m.calls[i][name]; !v.missing() {
				fields = append(fields, json.RawMessage(strconv.Quote(name)+":"+string(v.text)))
			}
		}
		text := jsonList(fields)
		text[0], text[len(text)-1] = '{', '}'
		list = append(list, text)
	}
	return jsonList(list)
}
