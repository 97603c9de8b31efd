package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

// talk is one conversation as every format has it. Its words are asked1, orders, arg1, said1, reply1, asked2, reply2.
type talk struct {
	name     string
	text     string
	format   Format
	numbered string // what its events are numbered by; "": nothing
	ends     bool   // the file tells whether it is whole
	beside   bool   // without its last reply it is one whose last turn nobody has answered, which no run lets pass
}

const (
	chatMessages = `[{"role":"user","content":"asked1"},
{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"orders","arguments":"{\"id\":\"arg1\"}"}}]},
{"role":"tool","tool_call_id":"c1","content":"said1"},
{"role":"assistant","content":"reply1"},
{"role":"user","content":[{"type":"text","text":"asked2"}]},
{"role":"assistant","content":[{"type":"text","text":"reply2"}]}]`
	ownMessages = `{"role":"user","content":"asked1"},
{"role":"assistant","content":"","tool_calls":[{"id":"c1","name":"orders","args":{"id":"arg1"}}]},
{"role":"tool","content":"said1","tool_result":{"id":"c1","name":"orders","content":"said1"}},
{"role":"assistant","content":"reply1"}`
	ownTrial = `{"id":"a/m/default","scenario":"a","provider":"m","status":"passed","turns":[
{"index":0,"user":"asked1","assistant":"reply1","messages":[` + ownMessages + `],"tool_calls":[],"assertions":[]},
{"index":1,"user":"asked2","assistant":"reply2","messages":[{"role":"user","content":"asked2"},
{"role":"assistant","content":"reply2","parts":[{"type":"text","text":"reply2"}]}],"tool_calls":[],"assertions":[]}]}`
)

func talks() []talk {
	flat := func(s string) string { return strings.ReplaceAll(s, "\n", "") }
	chat := flat(chatMessages)
	asked := chat[:strings.LastIndex(chat, `,{"role":"assistant"`)] + "]"
	return []talk{
		{name: "event log", format: FormatEventLog, numbered: "seq", text: created(`{"seq":%d,"event":{"type":"message.created","session_id":"s","data":%s}}`, 1)},
		{
			name: "session", format: FormatSession, numbered: "seq", ends: true,
			text: `{"metadata":{"session_id":"s","version":"1.0"},"events":[` + "\n" +
				strings.ReplaceAll(strings.TrimSpace(created(`{"seq":%d,"type":"message.created","data":%s}`, 1)), "\n", ",\n") + "\n]}",
		},
		{
			name: "session lines", format: FormatSession, numbered: "event.sequence", ends: true,
			text: `{"type":"metadata","metadata":{"session_id":"s","version":"1.0","event_count":6}}` + "\n" +
				created(`{"type":"event","event":{"sequence":%d,"type":"message.created","data":%s}}`, 1),
		},
		{
			name: "simple session", format: FormatSession, ends: true,
			text: `{"metadata":{"session_id":"s"},"events":[` + "\n" +
				strings.ReplaceAll(strings.TrimSpace(created(`{"x":%d,"type":"message","message":%s}`, 1)), "\n", ",\n") + "\n]}",
		},
		{name: "arena output", format: FormatArenaOutput, ends: true, text: `{"RunID":"r","Messages":` + chatMessages + `}`},
		{name: "arena turns", format: FormatArenaTurns, ends: true, text: `{"scenario_id":"a","turns":[
{"turn_index":0,"user_message":{"content":"asked1"},"response":{"message":{"role":"assistant","content":"","tool_calls":[{"id":"c1","name":"orders","args":{"id":"arg1"}}]}},
"tool_results":[{"tool_call_id":"c1","content":"said1"}]},
{"turn_index":1,"user_message":{"content":"And?"},"response":{"message":{"role":"assistant","content":"reply1"}}},
{"turn_index":2,"user_message":{"parts":[{"type":"text","text":"asked2"}]},"response":{"message":{"role":"assistant","parts":[{"type":"text","text":"reply2"}]}}}]}`},
		{name: "results.json", format: FormatResults, ends: true, text: `{"schema_version":1,"planned":1,"summary":{"trials":1},"runs":[` + ownTrial + `]}`},
		{name: "journal", format: FormatJournal, text: `{"journal":1,"arena":"x","planned":1}` + "\n" + `{"index":0,"trial":` + flat(ownTrial) + "}\n" + `{"end":{"duration_ms":3}}`},
		{
			name: "event stream", format: FormatEventStream, numbered: "seq", ends: true,
			text: `{"schema_version":1,"seq":1,"type":"run.started","data":{}}` + "\n" +
				created(`{"schema_version":1,"seq":%d,"type":"message.created","trial":"t","turn":0,"data":%s}`, 2) +
				`{"schema_version":1,"seq":8,"type":"trial.completed","trial":"t","data":{"status":"passed"}}` + "\n" +
				`{"schema_version":1,"seq":9,"type":"run.completed","data":{"status":"passed"}}`,
		},
		{name: "cassette", format: FormatCassette, ends: true, text: `{"arena_cassette":1,"trial":"a/m/default","exchanges":[
{"kind":"model","at":"turn 1","request":{"model":"m","messages":[{"role":"user","content":"asked1"}]},"reply":{"tool_calls":[{"id":"c1","name":"orders","args":{"id":"arg1"}}]}},
{"kind":"tool","at":"turn 1, call 1 (orders)","request":{"name":"orders","args":{"id":"arg1"}},"reply":{"content":"said1"}},
{"kind":"model","at":"turn 1","request":{"model":"m","as_before":1,"messages":[{"role":"assistant","tool_calls":[{"id":"c1","name":"orders","args":{"id":"arg1"}}]},
{"role":"tool","tool_result":{"id":"c1","name":"orders","content":"said1"}}]},"reply":{"content":"reply1"}},
{"kind":"model","at":"turn 2","request":{"model":"m","as_before":3,"messages":[{"role":"assistant","content":"reply1"},{"role":"user","content":["asked2"]}]},"reply":{"content":["reply2"]}}]}`},
		{name: "chat log", format: FormatChatLog, text: `{"messages":` + chat + "}\n" + `{"messages":` + chat + "}"},
		{name: "list of chats", format: FormatChatLog, ends: true, text: `[{"messages":` + chatMessages + "}]"},
		{name: "list of messages", format: FormatChatLog, ends: true, text: chatMessages},
		{name: "messages and choices", beside: true, format: FormatChatLog, text: `{"messages":` + asked +
			`,"choices":[{"message":{"role":"assistant","content":"reply2"},"finish_reason":"stop"}]}`},
		{name: "messages and a response", beside: true, format: FormatChatLog, text: flat(`{"messages":` + asked +
			`,"response":{"choices":[{"message":{"content":"reply2"}}],"usage":{"prompt_tokens":1,"completion_tokens":2}}}`)},
		{name: "document with choices", beside: true, format: FormatTranscript, ends: true, text: "{\n\"messages\":" + asked +
			`,"choices":[{"message":{"role":"assistant","content":"reply2"},"finish_reason":"stop"}]}`},
		{name: "messages and a text", beside: true, format: FormatChatLog, text: `{"messages":` + asked + `,"response":"reply2"}`},
		{name: "exchange", format: FormatChatLog, text: `{"request":{"model":"m","messages":` + asked +
			`},"response":{"choices":[{"message":{"role":"assistant","content":"reply2"},"finish_reason":"stop"}]}}`},
		{name: "exchange with bodies", format: FormatChatLog, text: `{"request":{"body":{"messages":` + asked +
			`}},"response":{"body":{"choices":[{"message":{"role":"assistant","content":"reply2"}}]}}}`},
		{name: "exchange of blocks", format: FormatChatLog, text: flat(`{"request":{"messages":[{"role":"user","content":"asked1"},
{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"orders","input":{"id":"arg1"}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"said1"}]}]},
{"role":"assistant","content":[{"type":"text","text":"reply1"}]},{"role":"user","content":"asked2"}]},
"response":{"role":"assistant","content":[{"type":"text","text":"reply2"}],"stop_reason":"end_turn"}}`)},
		{name: "traces", format: FormatTraces, ends: true, text: callSpans(attributesOf("gen_ai.input.messages", "gen_ai.output.messages"))},
		{name: "numbered traces", format: FormatTraces, ends: true, text: callSpans(numberedOf)},
		{name: "traces of events", format: FormatTraces, ends: true, text: callSpans(eventsOf)},
		{name: "transcript", format: FormatTranscript, ends: true, text: "{\n\"metadata\":{\"session_id\":\"s\"},\"messages\":" + chatMessages + "}"},
		{name: "YAML transcript", format: FormatTranscript, ends: true, text: "{\"messages\":" + chatMessages + "}"},
	}
}

// created is the conversation as events, a line each.
func created(format string, from int) string {
	var out strings.Builder
	for i, m := range strings.Split(ownMessages, ",\n") {
		fmt.Fprintf(&out, format+"\n", from+i, m)
	}
	fmt.Fprintf(&out, format+"\n", from+4, `{"role":"user","content":"asked2"}`)
	fmt.Fprintf(&out, format+"\n", from+5, `{"Role":"assistant","Content":"reply2","Parts":[{"type":"text","text":"reply2"}]}`)
	return out.String()
}

// callSpans is three calls of a model, of which each is told what is new.
func callSpans(write func(input, output string) string) string {
	var out strings.Builder
	for i, call := range [][2]string{
		{`{"role":"user","parts":[{"type":"text","content":"asked1"}]}`,
			`{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"orders","arguments":{"id":"arg1"}}]}`},
		{`{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":"said1"}]}`,
			`{"role":"assistant","parts":[{"type":"text","content":"reply1"}]}`},
		{`{"role":"user","content":"asked2"}`, `{"role":"assistant","content":"reply2"}`},
	} {
		if i > 0 {
			out.WriteString(",\n")
		}
		fmt.Fprintf(&out, `{"traceId":"a","spanId":"%d","startTimeUnixNano":"%d","endTimeUnixNano":"%d",%s}`,
			i+1, 100+10*i, 105+10*i, write(call[0], call[1]))
	}
	return `{"resourceSpans":[{"scopeSpans":[{"spans":[` + out.String() + "\n]}]}]}"
}

func attribute(key, text string) string {
	return fmt.Sprintf(`{"key":%q,"value":{"stringValue":%s}}`, key, quoted(text))
}

func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

const isChat = `{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}}`

func attributesOf(in, out string) func(input, output string) string {
	return func(input, output string) string {
		return `"attributes":[` + isChat + "," + attribute(in, "["+input+"]") + "," + attribute(out, "["+output+"]") + `]`
	}
}

// numberedOf makes an attribute of each field of the messages.
func numberedOf(input, output string) string {
	list := []string{isChat}
	for _, m := range []struct{ prefix, text string }{{"gen_ai.prompt.0.", input}, {"gen_ai.completion.0.", output}} {
		role := value{text: []byte(m.text)}.get("role")
		word, _ := role.str()
		list = append(list, attribute(m.prefix+"role", word))
		for part := range (value{text: []byte(m.text)}).get("parts").items {
			name, _ := part.get("name").str()
			said, _ := part.get("content").str()
			answer, _ := part.get("response").str()
			switch {
			case name != "":
				list = append(list, attribute(m.prefix+"tool_calls.0.id", "c1"), attribute(m.prefix+"tool_calls.0.name", name),
					attribute(m.prefix+"tool_calls.0.arguments", string(part.get("arguments").text)))
			case answer != "":
				list = append(list, attribute(m.prefix+"tool_call_id", "c1"), attribute(m.prefix+"content", answer))
			default:
				list = append(list, attribute(m.prefix+"content", said))
			}
		}
		if said, ok := (value{text: []byte(m.text)}).get("content").str(); ok {
			list = append(list, attribute(m.prefix+"content", said))
		}
	}
	return `"attributes":[` + strings.Join(list, ",") + `]`
}

// eventsOf makes an event of each message.
func eventsOf(input, output string) string {
	name := "gen_ai.user.message"
	if strings.Contains(input, `"tool"`) {
		name = "gen_ai.tool.message"
	}
	return `"attributes":[` + isChat + `],"events":[{"name":"` + name + `","attributes":[` + attribute("gen_ai.event.content", input) +
		`]},{"name":"gen_ai.choice","attributes":[` + attribute("gen_ai.event.content", `{"index":0,"message":`+output+`}`) + `]}]`
}

// words of the talk, and who says them.
var said = map[string]chat.Role{
	"asked1": chat.User, "orders": chat.Assistant, "arg1": chat.Assistant, "said1": chat.ToolRole, "reply1": chat.Assistant,
	"asked2": chat.User, "reply2": chat.Assistant,
}

// heard reads a file and returns which of the words are nowhere in it.
func (tk *talk) heard(text string) (lost []string, err error) {
	if tk.name == "YAML transcript" {
		text = "# by hand\n" + text
	}
	f, err := open([]byte(text), Options{})
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for i := range f.Sessions() {
		s, err := f.Load(i)
		if err != nil {
			return nil, err
		}
		if n := len(s.Messages); tk.beside && s.Messages[n-1].Role == chat.User {
			return nil, errors.New("the last turn has no reply")
		}
		for _, m := range s.Messages {
			args, err := json.Marshal(m.ToolCalls)
			if err != nil {
				return nil, err
			}
			for word, role := range said {
				found[word] = found[word] || m.Role == role && (strings.Contains(m.Text(), word) || bytes.Contains(args, []byte(word)))
			}
		}
	}
	for _, word := range slices.Sorted(maps.Keys(said)) {
		if !found[word] {
			lost = append(lost, word)
		}
	}
	return lost, nil
}

func TestTalks(t *testing.T) {
	t.Parallel()
	for _, tk := range talks() {
		if lost, err := tk.heard(tk.text); err != nil || lost != nil {
			t.Errorf("%s: lost %q, %v\n%s", tk.name, lost, err, tk.text)
		}
	}
}

// TestNothingIsLost changes every key on the way to every word of the conversation, in every format: the file is
// refused, or the word is still there.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	for _, tk := range talks() {
		t.Run(tk.name, func(t *testing.T) {
			t.Parallel()
			tree := parseTree(t, tk.text)
			n := 0
			for _, change := range tree.changes(t) {
				change.apply()
				text := tree.write()
				n++
				if lost, err := tk.heard(text); err == nil && (lost != nil || change.never) {
					t.Errorf("%s: no error, lost %q", change.what, lost)
				}
				change.undo()
			}
			if n < 40 {
				t.Errorf("only %d changes were tried", n)
			}
		})
	}
}

// TestCutAtALineEnd cuts files between two lines.
func TestCutAtALineEnd(t *testing.T) {
	t.Parallel()
	for _, tk := range talks() {
		if !tk.ends {
			continue
		}
		lines := strings.SplitAfter(strings.TrimRight(tk.text, "\n"), "\n")
		for i := 1; i < len(lines); i++ {
			if _, err := tk.heard(strings.Join(lines[:i], "")); err == nil {
				t.Errorf("%s: no error when cut behind line %d", tk.name, i)
			}
		}
	}
}

// TestGapInNumbers leaves out an event of those that are numbered.
func TestGapInNumbers(t *testing.T) {
	t.Parallel()
	for _, tk := range talks() {
		if tk.numbered == "" {
			continue
		}
		lines := strings.SplitAfter(tk.text, "\n")
		for i := 2; i < len(lines)-2; i++ {
			_, err := tk.heard(strings.Join(slices.Delete(slices.Clone(lines), i, i+1), ""))
			if err == nil || !strings.Contains(err.Error(), "is missing before this") {
				t.Errorf("%s: without line %d: got %v", tk.name, i+1, err)
			}
		}
	}
}

// tree is JSON, or lines of it, that can be changed in places.
type tree struct {
	members []*member // of an object
	items   []*tree   // of a list, or the documents of lines
	text    string    // of all else
	inner   bool      // it is JSON within a text
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

// change is something that happens to a file.
type change struct {
	what        string
	apply, undo func()
	never       bool // it is an error whatever is still there
}

// otherNames are those that people and programs give to what the formats call otherwise.
var otherNames = map[string][]string{
	"content": {"text", "message", "value", "body"}, "Content": {"Text"}, "text": {"value", "content_text"},
	"tool_calls": {"tool_call", "calls", "tools"}, "parts": {"part", "content_parts"}, "messages": {"message"},
	"response": {"output"}, "message": {"msg", "delta"}, "choices": {"choice"}, "args": {"argument", "params"},
	"arguments": {"args_json", "parameters"}, "tool_result": {"result"},
}

// changes returns all that can happen on the ways to the words.
func (tr *tree) changes(t *testing.T) (list []change) {
	t.Helper()
	seen := map[*member]bool{}
	tr.walk(nil, func(path []*tree, leaf *tree) {
		word := strings.Trim(leaf.text, `"`)
		if _, ours := said[word]; !ours {
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
				return // what is within is as the model wrote it
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
		key == "attributes" || key == "events" // then it is a span of something else
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
	for _, other := range members { // the attributes of traces
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
