package recording

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

// tree is JSON, or lines of JSON, that tests change in places.
type tree struct {
	members []*member // of an object
	items   []*tree   // of a list, or the documents of lines
	text    string    // any other value
	inner   bool      // JSON within a text
	lines   bool
}

type member struct {
	key   string
	value *tree
}

func parseTree(t *testing.T, text string) *tree {
	t.Helper()
	if json.Valid([]byte(text)) {
		return treeOf(value{text: []byte(text)})
	}
	all := &tree{lines: true}
	for line := range strings.Lines(text) {
		if !json.Valid([]byte(line)) {
			t.Fatalf("no JSON: %s", line)
		}
		all.items = append(all.items, treeOf(value{text: bytes.TrimSpace([]byte(line))}))
	}
	return all
}

func treeOf(v value) *tree {
	tr := &tree{}
	switch s, _ := v.str(); {
	case v.kind() == '{':
		tr.members = []*member{}
		for key, m := range v.members {
			tr.members = append(tr.members, &member{string(key), treeOf(m)})
		}
	case v.kind() == '[':
		tr.items = []*tree{}
		for item := range v.items {
			tr.items = append(tr.items, treeOf(item))
		}
	case s != "" && (s[0] == '{' || s[0] == '[') && json.Valid([]byte(s)):
		tr = treeOf(value{text: []byte(s)})
		tr.inner = true
	default:
		tr.text = string(v.text)
	}
	return tr
}

func (tr *tree) write() string {
	var out []string
	switch {
	case tr.members != nil:
		for _, m := range tr.members {
			out = append(out, strconv.Quote(m.key)+":"+m.value.write())
		}
		return tr.wrap("{" + strings.Join(out, ",") + "}")
	case tr.items != nil:
		for _, item := range tr.items {
			out = append(out, item.write())
		}
		if tr.lines {
			return strings.Join(out, "\n")
		}
		return tr.wrap("[" + strings.Join(out, ",") + "]")
	}
	return tr.text
}

func (tr *tree) wrap(text string) string {
	if tr.inner {
		return quoted(text)
	}
	return text
}

// change is one change of a file.
type change struct {
	what        string
	apply, undo func()
	never       bool // the changed file must be refused, even if all words are still there
}

// otherNames are the names by which people and programs replace those of the formats.
var otherNames = map[string][]string{
	"content": {"text", "message", "value", "body"}, "Content": {"Text"}, "text": {"value", "content_text"},
	"tool_calls": {"tool_call", "calls", "tools"}, "parts": {"part", "content_parts"}, "messages": {"message"},
	"response": {"output"}, "message": {"msg", "delta"}, "choices": {"choice"}, "args": {"argument", "params"},
	"arguments": {"args_json", "parameters"}, "tool_result": {"result"},
}

// changes returns all changes on the paths to the words.
func (tr *tree) changes(t *testing.T) (list []change) {
	t.Helper()
	seen := map[*member]bool{}
	tr.walk(nil, func(path []*tree, leaf *tree) {
		word := strings.Trim(leaf.text, `"`)
		if _, ours := talkWords[word]; !ours {
			return
		}
		ways, inText := "", false
		for i, node := range append(path, leaf) {
			inText = inText || node.inner
			if i == 0 || path[i-1].members == nil {
				continue
			}
			at := slices.IndexFunc(path[i-1].members, func(m *member) bool { return m.value == node })
			m := path[i-1].members[at]
			if ways += "." + m.key; !seen[m] {
				seen[m] = true
				list = append(list, path[i-1].changed(m, ways+" to "+word, inText)...)
			}
			if args := []string{"args", "arguments", "input"}; slices.Contains(args, m.key) || word == "arg1" && inText {
				return // a model wrote the content
			}
		}
	})
	return list
}

func (tr *tree) changed(m *member, what string, inText bool) (list []change) {
	key, old := m.key, m.value
	for _, name := range append([]string{key + "x"}, otherNames[key]...) {
		list = append(list, change{
			what: what + " renamed to " + name, apply: func() { m.key = name }, undo: func() { m.key = key },
		})
	}
	mayBeNull := slices.Contains([]string{"args", "arguments", "input", "tool_results", "response"}, key) || // nothing was sent
		key == "content" && strings.HasSuffix(what, "said1") ||
		key == "messages" && slices.ContainsFunc(tr.members, func(m *member) bool { return m.key == "as_before" }) ||
		key == "attributes" || key == "events" // it is then a span of something else
	if !mayBeNull {
		list = append(list, change{
			what: what + " made null", apply: func() { m.value = &tree{text: "null"} }, undo: func() { m.value = old },
		})
	}
	members := tr.members
	for _, twin := range []string{"null", `"other"`, "[]"} {
		extra := &member{key, &tree{text: twin}}
		list = append(list,
			change{
				what: what + " stands twice, the second is " + twin, never: !inText && !tr.inner,
				apply: func() { tr.members = append(slices.Clone(members), extra) }, undo: func() { tr.members = members },
			}, change{
				what: what + " stands twice, the first is " + twin, never: !inText && !tr.inner,
				apply: func() { tr.members = append([]*member{extra}, members...) }, undo: func() { tr.members = members },
			})
	}
	for _, other := range members { // attributes of traces
		if name := other.value; other.key == "key" && m != other {
			text := name.text
			list = append(list, change{
				what:  what + " under another attribute",
				apply: func() { name.text = strings.TrimSuffix(text, `"`) + `s"` }, undo: func() { name.text = text },
			})
		}
	}
	return list
}

func (tr *tree) walk(path []*tree, visit func(path []*tree, leaf *tree)) {
	if tr.members == nil && tr.items == nil {
		visit(path, tr)
		return
	}
	path = append(slices.Clone(path), tr)
	for _, m := range tr.members {
		m.value.walk(path, visit)
	}
	for _, item := range tr.items {
		item.walk(path, visit)
	}
}

// messages returns the objects in which a user or a model says a word: messages and their parts. Copies that later
// calls repeat are grouped.
func (tr *tree) messages() (list [][]*tree) {
	has := func(node *tree, keys ...string) bool {
		return slices.ContainsFunc(node.members, func(m *member) bool { return slices.Contains(keys, strings.ToLower(m.key)) })
	}
	seen := map[*tree]bool{}
	at := map[string]int{}
	add := func(node *tree) {
		if seen[node] {
			return
		}
		seen[node] = true
		text := node.write()
		if i, ok := at[text]; ok {
			list[i] = append(list[i], node)
			return
		}
		at[text] = len(list)
		list = append(list, []*tree{node})
	}
	tr.walk(nil, func(path []*tree, leaf *tree) {
		word := strings.Trim(leaf.text, `"`)
		if role, ours := talkWords[word]; !ours || role == chat.ToolRole || word == "arg1" || word == "orders" {
			return // a model wrote the call
		}
		objects := slices.DeleteFunc(slices.Clone(path), func(node *tree) bool { return node.members == nil })
		inner := objects[len(objects)-1]
		if !has(inner, "content", "text", "parts") {
			return
		}
		add(inner)
		for _, node := range slices.Backward(objects) {
			if has(node, "role", "from") {
				add(node)
			}
		}
	})
	return list
}
