package recording

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	userLine  = `{"seq":1,"event":{"type":"message.created","session_id":"s","data":{"Role":"user","Content":"hi"}}}`
	replyLine = `{"seq":2,"event":{"type":"message.created","session_id":"s","data":{"Role":"assistant","Content":"ho"}}}`
)

// TestHostile: unreadable content is refused with its position, and never silently dropped from a conversation.
func TestHostile(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	for name, c := range map[string]struct{ text, want string }{
		"utf-16":            {"\xff\xfe{\x00}\x00", "1:1: the file is UTF-16"},
		"invalid utf-8":     {userLine + "\n" + strings.Replace(replyLine, "ho", "h\xffo", 1), ":2:100: this is not valid UTF-8"},
		"nul byte":          {userLine + "\n\x00" + replyLine, ":2:1: not valid JSON"},
		"only nul bytes":    {strings.Repeat("\x00", 100), "control character"},
		"deep":              {`{"metadata":` + deep + `,"events":[]}`, "exceeded max depth"},
		"deep yaml":         {"messages: " + deep, "nested too deeply"},
		"yaml bomb":         {bomb(), "aliases blow this document up"},
		"no type":           {userLine + "\n" + strings.Replace(replyLine, `"type"`, `"kind"`, 1), ":2:1: an event has no type"},
		"another format":    {userLine + "\n" + `{"messages":[]}`, ":2:1: a line of an event log must have an event"},
		"a list in between": {userLine + "\n[]\n", ":2:1: a line must be a JSON object, found a list"},
		"key twice":         {strings.Replace(userLine, `"Content":"hi"`, `"Content":"hi","content":""`, 1), `has the key "content" twice`},
		"messages twice":    {`{"RunID":"r","Messages":[{"role":"user","content":"a"}],"messages":[]}`, `has the key "messages" twice`},
		"messages no list":  {`{"RunID":"r","Messages":{"role":"user"}}`, "Messages must be a list, found an object"},
		"message no object": {`{"RunID":"r","Messages":["hi"]}`, `1:26: a message must be an object, found text "hi"`},
		"words of no key": {
			`{"RunID":"r","Messages":[{"role":"user","content":"a"},{"role":"assistant","text":"denied"}]}`,
			`1:83: a message has an unknown field "text", whose content would be lost`,
		},
		"null content":    {`{"RunID":"r","Messages":[{"role":"assistant","content":null}]}`, "1:26: a message has neither content nor tool calls"},
		"an empty reply":  {`{"RunID":"r","Messages":[{"role":"assistant","content":""}]}`, "1:26: a message of the assistant has neither content nor tool calls"},
		"calls of no key": {`{"RunID":"r","Messages":[{"role":"assistant","content":"a","tool_call":[{"name":"f"}]}]}`, `unknown field "tool_call"`},
		"part of no key":  {`{"RunID":"r","Messages":[{"role":"assistant","parts":[{"type":"text","value":"a"}]}]}`, `a part has an unknown field "value"`},
		"call of no key":  {`{"RunID":"r","Messages":[{"role":"assistant","tool_calls":[{"name":"f","argumets":{"a":1}}]}]}`, `unknown field "argumets"`},
		"twice in yaml":   {"messages: [{role: user, content: a}]\nmessages: []\n", `2:1: key "messages" is already set on line 1`},
		"twice in lines": {`{"messages":[{"role":"user","content":"a"}],"messages":[]}` + "\n" + `{"messages":[]}`,
			`1:56: an object has the key "messages" twice`},
		"no end of the run": {`{"schema_version":1,"seq":1,"type":"message.created","trial":"a","data":{"index":0,"role":"user","content":"x"}}` + "\n",
			"the stream has no run.completed: it ends before its run"},
		"no role":           {`{"RunID":"r","Messages":[{"content":"hi"}]}`, "1:26: a message has no role"},
		"a call no name":    {`{"RunID":"r","Messages":[{"role":"assistant","tool_calls":[{"id":"1"}]}]}`, "a tool call has no name"},
		"calls of the user": {`{"RunID":"r","Messages":[{"role":"user","tool_calls":[{"name":"f"}]}]}`, "a message of the user cannot call tools"},
		"odd part":          {`{"RunID":"r","Messages":[{"role":"user","content":[{"type":"smell"}]}]}`, `unknown type of part "smell"`},
		"odd time":          {`{"RunID":"r","Messages":[{"role":"user","content":"a","timestamp":"noon"}]}`, `must be a time such as 2026-01-02T03:04:05Z, found "noon"`},
		"odd number":        {`{"RunID":"r","Messages":[{"role":"assistant","content":"a","latency_ms":1e999}]}`, "latency_ms must be a number"},
		"odd seq":           {strings.Replace(userLine, `"seq":1`, `"seq":1.5`, 1), "seq must be a whole number, found the number 1.5"},
		"not whose event":   {userLine + "\n" + strings.Replace(replyLine, `"s"`, `"t"`, 1) + "\n" + strings.Replace(replyLine, `"session_id":"s",`, "", 1), ":3:1: an event does not say to which of the 2 conversations"},
		"two results": {`{"RunID":"r","Messages":[{"role":"assistant","tool_calls":[{"id":"c","name":"f"}]},` +
			`{"role":"tool","tool_call_id":"c","content":"1"},{"role":"tool","tool_call_id":"c","content":"2"}]}`, `the call "c" already has another result`},
		"result before its call": {`{"RunID":"r","Messages":[{"role":"tool","tool_call_id":"c","content":"1"},` +
			`{"role":"assistant","tool_calls":[{"id":"c","name":"f"}]}]}`, `the tool result "c" belongs to no call before it`},
		"no message":    {`{"RunID":"r","Messages":[]}`, "there is no message in the conversation, read as arena output"},
		"no content":    {`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a","attributes":[{"key":"gen_ai.system","value":{"stringValue":"x"}}]}]}]}]}`, "hold no messages"},
		"other traces":  {`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a","attributes":[]}]}]}]}`, "there is no message in the file, read as traces"},
		"cut attribute": {spanOf(`{"key":"gen_ai.input.messages","value":{"stringValue":"[{\"role\":\"user\",\"par"}}`), "gen_ai.input.messages of the span is not valid JSON; it may have been cut"},
		"lost attribute": {spanOf(`{"key":"gen_ai.prompt.0.content","value":{"stringValue":"a"}},{"key":"gen_ai.prompt.2.content","value":{"stringValue":"b"}}`),
			"has 2 messages in gen_ai.prompt.*, but none with the number 1"},
		"an old stream": {`{"schema_version":3,"seq":1,"type":"message.created","trial":"a","data":{}}`, "schema_version 3; this arena reads version 1"},
		"lost message": {`{"schema_version":1,"seq":1,"type":"message.created","trial":"a","data":{"index":0,"role":"user","content":"x"}}` + "\n" +
			`{"schema_version":1,"seq":9,"type":"message.created","trial":"a","data":{"index":2,"role":"user","content":"y"}}`, ":2:1: this is message 2 of its transcript, and number 1 here: one is lost"},
		"two yaml documents": {"messages: []\n---\nmessages: []\n", "a transcript is one YAML document, found 2"},
		"yaml key twice":     {"messages:\n  - {role: user, content: a, content: b}\n", `2:30: key "content" is already set on line 2`},
		"two documents":      {"{\n\"RunID\":\"r\",\"Messages\":[]}\n{}", "3:1: not valid JSON"},
		"wrong chat line":    {`{"messages":[{"role":"user","content":"a"}]}` + "\n" + `{"prompt":"a"}`, ":2:1: a line of a chat log must have messages"},
		"jaeger":             {`{"data":[{"traceID":"a","spans":[],"processes":{}}]}`, ":1:1: this file holds traces of Jaeger, which arena does not read"},
		"zipkin":             {`[{"traceId":"a","id":"b","localEndpoint":{}}]`, "this file holds spans of Zipkin, which"},
		"logs":               {`{"resourceLogs":[]}`, "this file holds logs or metrics of OpenTelemetry"},
		"an AI SDK":          {`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a","attributes":[{"key":"ai.prompt","value":{"stringValue":"x"}}]}]}]}]}`, "the attributes of the Vercel AI SDK, which arena does not read"},
		"an AI SDK as well":  {spanOf(`{"key":"gen_ai.system","value":{"stringValue":"x"}},{"key":"ai.prompt","value":{"stringValue":"x"}}`), "no messages but in attributes of the Vercel AI SDK"},
		"hidden messages": {spanOf(`{"key":"openinference.span.kind","value":{"stringValue":"LLM"}},{"key":"llm.output_messages.0.message.content","value":{"stringValue":"__REDACTED__"}}`),
			"1:44: a message was hidden by the instrumentation"},
		"hidden texts": {spanOf(`{"key":"openinference.span.kind","value":{"stringValue":"LLM"}},{"key":"output.value","value":{"stringValue":"__REDACTED__"}}`),
			"output.value was hidden by the instrumentation"},
		"hidden wholly": {spanOf(`{"key":"openinference.span.kind","value":{"stringValue":"LLM"}}`) + "\n" + spanOf(`{"key":"openinference.span.kind","value":{"stringValue":"LLM"}},{"key":"input.value","value":{"stringValue":"hi"}}`),
			"1:44: the span of a call of a model holds no messages"},
		"lost of OpenInference": {spanOf(`{"key":"llm.input_messages.0.message.content","value":{"stringValue":"a"}},{"key":"llm.input_messages.2.message.content","value":{"stringValue":"b"}}`),
			"has 2 entries in llm.input_messages.*, but none with the number 1"},
		"odd output": {spanOf(`{"key":"openinference.span.kind","value":{"stringValue":"LLM"}},{"key":"output.value","value":{"stringValue":"{\"steps\":[],\"kind\":1}"}}`),
			"output.value holds no messages in a form that arena knows: an object with the keys kind, steps"},
		"spans and others":       {`{"trace_id":"a","span_id":"b","attributes":{"openinference.span.kind":"LLM","input.value":"a","output.value":"b"}}` + "\n" + `{"messages":[]}`, ":2:1: this is no record of the file's format"},
		"ShareGPT and others":    {`{"conversations":[{"from":"human","value":"a"}]}` + "\n" + `{"messages":[]}`, ":2:1: this is no record of the file's format, which must have a list of conversations"},
		"somebody in ShareGPT":   {`{"conversations":[{"from":"humn","value":"a"}]}`, `a message is from "humn", an unknown speaker`},
		"two replies":            {`{"conversations":[{"from":"human","value":"a"}],"chosen":{"from":"gpt","value":"b"}}`, `an unknown field "chosen"`},
		"an open call":           {`{"conversations":[{"from":"gpt","value":"<tool_call>{}"}]}`, "a reply begins the call of a tool with <tool_call>, which has no end"},
		"a call that is no JSON": {`{"conversations":[{"from":"gpt","value":"<tool_call>{'a':1}</tool_call>"}]}`, "the call of a tool is no JSON: {'a':1}"},
		"a batch of questions":   {`{"custom_id":"a","url":"/v1/chat/completions","body":{"messages":[{"role":"user","content":"x"}]}}`, `1:1: the request "a" has no reply in the file`},
		"a batch twice":          {`{"custom_id":"a","response":{"body":{"choices":[]}}}` + "\n" + `{"custom_id":"a","response":{"body":{"choices":[]}}}`, `2:1: the reply to "a" is there twice`},
		"a batch and others":     {`{"custom_id":"a","response":{"body":{"choices":[]}}}` + "\n" + userLine, ":2:1: this is no record of the file's format"},
		"a batch of embeddings":  {`{"custom_id":"a","response":{"body":{"object":"list","data":[]}}}`, "the response has neither choices nor an error"},
		"a response goes on":     {`{"object":"response","id":"r2","previous_response_id":"r1","output":[]}`, `1:1: the response goes on with "r1", which is not before it in the file`},
		"references":             {`{"object":"response","input":[{"type":"item_reference","id":"m"}],"output":[{"type":"message","role":"assistant","content":"x"}]}`, "an item of type item_reference stands for messages that are not in the file"},
		"responses and others":   {`{"object":"response","output":[]}` + "\n" + userLine, ":2:1: this is no record of the file's format"},
		"redacted by LiteLLM":    {`{"id":"a","call_type":"completion","response_cost":1,"messages":"redacted-by-litellm","response":{}}`, "1:65: the field messages was hidden by the instrumentation"},
		"embeddings of LiteLLM":  {`{"id":"a","call_type":"aembedding","response_cost":1,"messages":"x","response":{}}`, "no call in the log is one of a conversation"},
		"LiteLLM and others":     {`{"id":"a","call_type":"completion","response_cost":1,"messages":"x","response":{"choices":[{"message":{"content":"y"}}]}}` + "\n" + userLine, ":2:1: this is no record of the file's format"},
		"an archive":             {"PK\x03\x04" + strings.Repeat("\x00", 50), "the zip archive is damaged or cut"},
		"a packed file":          {"\x1f\x8b\x08", "1:1: this file is packed by gzip, which"},
		"a header of inspect":    {`{"version":2,"status":"success","eval":{},"results":{}}`, "1:1: the log has no samples: it is only the header of one"},
		"samples are lost":       {`{"version":2,"status":"success","eval":{},"results":{"total_samples":2},"samples":[{"messages":[]}]}`, "the log counts 2 samples, found 1"},
		"attachments are lost":   {`{"version":2,"status":"success","eval":{},"samples":[{"messages":[{"role":"user","content":"attachment://ab"}],"attachments":{}}]}`, "1:67: the sample has no attachment ab, which a message names"},
		"training":               {`[{"instruction":"a","output":"b"}]`, "data for training in the form of Alpaca"},
		"results of kensa":       {`[{"scenario_id":"a","status":"pass","input":"hi","check_results":[],"trace":{"path":"a.jsonl"}}]`, "results of kensa"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := open([]byte(c.text), Options{})
			contains(t, err, c.want)
		})
	}
}

// TestCutInTheMiddle cuts every recording in the middle of a line: it is refused with the line number, and never read
// as a shorter one.
func TestCutInTheMiddle(t *testing.T) {
	t.Parallel()
	for _, path := range fixtures(t, "good") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if f, err := open(text, Options{}); err != nil || f.format.free && bytes.HasPrefix(text, []byte("{")) == false {
			continue // a cut YAML file may be valid
		}
		at := len(text) / 2
		for text[at-1] == '\n' || text[at] == '\n' || text[at] == ' ' {
			at++
		}
		_, err = openAt(filepath.Base(path), bytes.NewReader(text[:at]), int64(at), Options{})
		if err == nil || !regexp.MustCompile(`^[\w.-]+:\d+`).MatchString(err.Error()) {
			t.Errorf("%s, cut behind byte %d: got %v", path, at, err)
		}
	}
}

// spanOf returns a trace of one model call.
func spanOf(attributes string) string {
	return `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a","spanId":"b","attributes":[` + attributes + `]}]}]}]}`
}

// bomb returns YAML whose aliases stand for a billion values.
func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 9; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	return b.String() + "messages: *a8\n"
}

// TestHarmless: unusual but valid files are read.
func TestHarmless(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"plain":            userLine + "\n" + replyLine + "\n",
		"no last newline":  userLine + "\n" + replyLine,
		"crlf":             userLine + "\r\n" + replyLine + "\r\n",
		"byte order mark":  bom + userLine + "\n" + replyLine,
		"blank lines":      "\n\n  \n" + userLine + "\n\n" + replyLine + "\n\n",
		"spaces":           "  " + userLine + "  \n\t" + replyLine + "\t\n",
		"reversed":         replyLine + "\n" + userLine,
		"copies":           userLine + "\n" + replyLine + "\n" + userLine + "\n" + replyLine,
		"one no session":   userLine + "\n" + strings.Replace(replyLine, `"session_id":"s",`, "", 1),
		"unknown events":   userLine + "\n" + `{"seq":3,"event":{"type":"zap","session_id":"s","data":{"role":7}}}` + "\n" + replyLine,
		"escaped nul":      strings.Replace(userLine, "hi", `h\u0000i`, 1) + "\n" + replyLine,
		"lone surrogate":   strings.Replace(userLine, "hi", `h\ud800i`, 1) + "\n" + replyLine,
		"braces in text":   strings.Replace(userLine, "hi", `}]{[\"\\`, 1) + "\n" + replyLine,
		"json transcript":  "{\"messages\":\n[{\"role\":\"user\",\"content\":\"}{\"},{\"role\":\"assistant\",\"content\":\"b\"}]}",
		"key case":         `{"runid":"r","MESSAGES":[{"ROLE":"User","Content":"a"},{"Role":"ASSISTANT","CONTENT":"b"}]}`,
		"escaped key":      `{"RunID":"r","Messages":[{"\u0072ole":"user","\u0063ontent":"a"},{"role":"model","content":"b"}]}`,
		"yaml crlf":        "messages:\r\n- role: user\r\n  content: a\r\n- role: assistant\r\n  content: b\r\n",
		"yaml with a mark": bom + "messages:\n- {role: user, content: a}\n- {role: assistant, content: b}\n",
		"yaml anchors":     "x: &m {role: user, content: a}\nmessages: [*m, {<<: *m, role: assistant}]\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := only(t, []byte(text))
			if len(s.Messages) != 2 || s.Messages[0].Role != "user" || s.Messages[1].Role != "assistant" {
				t.Errorf("got %+v", s.Messages)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	log := userLine + "\n" + replyLine + "\n"
	chats := strings.Repeat(`{"messages":[{"role":"user","content":"a"}]}`+"\n", 4)
	doc := "{\n\"RunID\":\"r\",\"Messages\":[]}"
	yaml := "messages:\n- {role: user, content: a}\n"
	for name, c := range map[string]struct {
		text   string
		limits Limits
		want   string
	}{
		"line":          {log, Limits{Line: 100}, ":2: the line is longer than 100 bytes, the limit"},
		"messages":      {log, Limits{Messages: 1}, "a session has more than 1 messages, the limit"},
		"session":       {log, Limits{SessionBytes: 150}, "a session has 203 bytes; the limit is 150 bytes"},
		"sessions":      {chats, Limits{Sessions: 3}, ":4: more than 3 sessions in one file, the limit"},
		"document":      {doc, Limits{Document: 20}, "has to be read at once; the limit is 20 bytes"},
		"yaml":          {yaml, Limits{Document: 20}, "has to be read at once; the limit is 20 bytes"},
		"long lines":    {log + strings.Repeat(" ", 400_000) + log, Limits{Line: 300_000}, ":3: the line is longer than 300000 bytes"},
		"trial":         {`{"schema_version":1,"planned":1,"runs":[{"id":"` + strings.Repeat("x", 5000) + `"}]}`, Limits{SessionBytes: 100}, "a value has more than 100 bytes, the limit"},
		"many problems": {strings.Repeat("{\n", 1000) + log, Limits{}, "not valid JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := open([]byte(c.text), Options{Limits: c.limits})
			contains(t, err, c.want)
		})
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	log := []byte(userLine + "\n" + replyLine + "\n")
	for _, kind := range []string{"", "generic", "session", "recording", "session_recording"} {
		if f, err := open(log, Options{Type: kind}); err != nil || len(f.Notes()) > 0 {
			t.Errorf("type %q: %v", kind, err)
		}
	}
	f, err := open(log, Options{Type: "arena_output"})
	if err != nil {
		t.Fatal(err)
	}
	want := "read as event log, which is what it holds, not as type arena_output"
	if got := strings.Join(f.Notes(), "\n"); got != want {
		t.Errorf("notes: got %q, want %q", got, want)
	}
	_, err = open(log, Options{Type: "transkript"})
	contains(t, err, `unknown type of recording "transkript"`)
}

// TestLoadIsSafe loads the sessions of a file concurrently.
func TestLoadIsSafe(t *testing.T) {
	t.Parallel()
	f, err := Open("testdata/good/event-log.jsonl", Options{})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		for i, ref := range f.Sessions() {
			wg.Go(func() {
				s, err := f.Load(i)
				if err != nil || s.ID != ref.ID || len(s.Messages) != ref.Messages {
					t.Errorf("session %d: %v", i, err)
				}
			})
		}
	}
	wg.Wait()
}

// TestChangedFile: a file that was rewritten between Open and Load is refused.
func TestChangedFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log.jsonl")
	log := []byte(userLine + "\n" + replyLine + "\n")
	for name, text := range map[string][]byte{
		"shorter": log[:len(log)-20],
		"gone":    nil,
		"moved":   append([]byte("   "), log...),
		"garbage": bytes.Repeat([]byte("x"), len(log)),
	} {
		if err := os.WriteFile(path, log, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Load(0); err == nil || !strings.Contains(err.Error(), "has changed since it was opened") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	t.Parallel()
	if _, err := Open(filepath.Join(t.TempDir(), "none.json"), Options{}); !os.IsNotExist(err) {
		t.Errorf("no file: got %v", err)
	}
	if _, err := Open(t.TempDir(), Options{}); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Errorf("a folder: got %v", err)
	}
}

func TestOffsets(t *testing.T) {
	t.Parallel()
	s := only(t, []byte(`{"metadata":{"version":"1.0","start_time":"2026-01-01T00:00:10Z"},"events":[
		{"type":"message","timestamp":"2026-01-01T00:00:09Z","message":{"role":"user","content":"a"}},
		{"type":"message","offset":1500000000,"message":{"role":"assistant","content":"b"}},
		{"type":"message","message":{"role":"user","content":"c"}}]}`))
	for i, want := range []time.Duration{0, 1500 * time.Millisecond, -1} {
		if got := s.Messages[i].Offset; got != want {
			t.Errorf("message %d: offset %v, want %v", i, got, want)
		}
	}
	if got := s.Messages[1].At; !got.Equal(s.Started.Add(1500 * time.Millisecond)) {
		t.Errorf("message 1 at %v", got)
	}
}
