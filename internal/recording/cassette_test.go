package recording

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEditedCassette: every mistake of a person who edits a cassette is reported at its position.
func TestEditedCassette(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/good/shop.cassette.json")
	if err != nil {
		t.Fatal(err)
	}
	whole := string(text)
	for name, c := range map[string]struct{ old, edited, want string }{
		"a text for the version": {`"arena_cassette": 1`, `"arena_cassette": "1"`,
			`:2:21: this arena reads version 1 of cassettes, found text "1"`},
		"no trial":            {`"trial":`, `"trail":`, `:3:12: a cassette has an unknown field "trail"`},
		"trial of null":       {`"bikes/agent/eu#2[polite]"`, `null`, `:1:1: the cassette does not name its trial`},
		"exchanges of null":   {`"exchanges": [`, `"exchanges": null, "tools": [`, `has the key "tools" twice`},
		"a field twice":       {`"at": "turn 1",`, `"at": "turn 1", "at": "turn 2",`, `an object has the key "at" twice`},
		"a mistyped kind":     {`"model",`, `"modle",`, `:17:15: the kind of an exchange cannot be "modle"`},
		"no request":          {`"request": {`, `"reqest": {`, `:19:17: an exchange has an unknown field "reqest"`},
		"no reply":            {`"reply": {`, `"replay": {`, `an exchange has an unknown field "replay"`},
		"a reply of null":     {`"reply": {`, `"reply": null, "error": null, "latency_ms": {`, "twice"},
		"a mistyped field":    {`"content": [`, `"contents": [`, `a message has an unknown field "contents"`},
		"a line that is none": {`"Be kind."`, `7`, `a line of content must be text, found the number 7`},
		"a number for a text": {`"Two are left."`, `7`, `content must be text or the list of its lines, found the number 7`},
		"an unknown role":     {`"role": "user"`, `"role": "usr"`, `unknown role "usr"`},
		"a mistyped argument": {`"args": {`, `"arg": {`, `a tool call has an unknown field "arg"`},
		"a list of arguments": {`"args": {`, `"args": [], "bad_arg": {`, `a tool call has an unknown field "bad_arg"`},
		"arguments in a text": {`"name": "stock",
            "args": {`, `"name": "stock", "args": "{}", "id": {`, "twice"},
		"less than nothing":   {`"output_tokens": 3`, `"output_tokens": -3`, "output_tokens cannot be -3"},
		"a mistyped usage":    {`"output_tokens": 3`, `"outputs": 3`, `usage has an unknown field "outputs"`},
		"forever":             {`812.5`, `1e300`, "latency_ms cannot be 1e300"},
		"too much before":     {`"as_before": 2`, `"as_before": 3`, "as_before is 3, and the model request before this one has 2"},
		"too little before":   {`"as_before": 2`, `"as_before": 1`, "this message differs in the previous model request"},
		"messages are lost":   {`"as_before": 5`, `"as_before": 1`, "this message differs in the previous model request"},
		"a reply is lost":     {`"role": "assistant",`, `"role": "user",`, "a message of the user cannot call tools"},
		"no result of a tool": {`"tool_result": {`, `"tool_reslt": {`, `a message has an unknown field "tool_reslt"`},
		"a result of nobody": {`"tool_result": {
              "id": "c1"`, `"tool_result": {"id": "c9"`, `the tool result "c9" belongs to no call before it`},
		"a mistyped part":  {`"type": "image"`, `"type": "picture"`, `unknown type of part "picture"`},
		"a path as a hash": {`"sha256": "abab`, `"sha256": "../ab`, `a sha256 has 64 hexadecimal digits, found "../ab`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(whole, c.old) {
				t.Fatal("the test edits what is not there")
			}
			_, err := open([]byte(strings.Replace(whole, c.old, c.edited, 1)), Options{})
			contains(t, err, c.want)
		})
	}
}

// exchanges returns a cassette with some exchanges.
func exchanges(list ...string) []byte {
	return []byte(`{"arena_cassette":1,"trial":"a/b/c","exchanges":[` + strings.Join(list, ",") + `]}`)
}

const asked = `{"kind":"model","at":"turn 1","request":{"messages":[{"role":"system","content":"Be kind."},` +
	`{"role":"user","content":"Hi"}]},"reply":{"content":"Hello"},"latency_ms":1}`

// TestCassetteTalk lists requests that continue the conversation in unusual ways, and the messages they become.
func TestCassetteTalk(t *testing.T) {
	t.Parallel()
	const reply = `,"reply":{"content":"Bye"},"latency_ms":1}`
	for name, c := range map[string]struct {
		second, want, note string
	}{
		"everything again": {`{"kind":"model","at":"turn 2","request":{"messages":[{"role":"system","content":"Be kind."},` +
			`{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"},{"role":"user","content":"x"}]}` + reply,
			"Be kind.|Hi|Hello|x|Bye", ""},
		"another prompt": {`{"kind":"model","at":"turn 2","request":{"messages":[{"role":"system","content":"Be rude."},` +
			`{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"},{"role":"user","content":"x"}]}` + reply,
			"Be kind.|Hi|Hello|x|Bye", "the system prompt changed"},
		"an answer of a guardrail": {`{"kind":"model","at":"turn 3","request":{"as_before":2,"messages":[` +
			`{"role":"assistant","content":"Hello"},{"role":"user","content":"x"},{"role":"assistant","content":"No."},` +
			`{"role":"user","content":"y"}]}` + reply, "Be kind.|Hi|Hello|x|No.|y|Bye", ""},
		"a stream that was closed": {`{"kind":"model","at":"turn 2","request":{"as_before":2,"messages":[` +
			`{"role":"assistant","content":"Hello"},{"role":"user","content":"x"}]},"reply":{"content":"By","closed":true},` +
			`"error":{"text":"enough"},"latency_ms":1}`, "Be kind.|Hi|Hello|x|By", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := only(t, exchanges(asked, c.second))
			var texts []string
			for i := range s.Messages {
				texts = append(texts, s.Messages[i].Text())
			}
			if got := strings.Join(texts, "|"); got != c.want || s.Error != "" {
				t.Errorf("got %s, want %s; error %q", got, c.want, s.Error)
			}
			if notes := strings.Join(s.Notes, "\n"); !strings.Contains(notes, c.note) || c.note == "" && notes != "" {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
		})
	}
}

func TestCassetteTalkRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ second, want string }{
		"the reply is missing": {`{"kind":"model","at":"turn 2","request":{"as_before":2,"messages":[{"role":"user","content":"x"}]},` +
			`"reply":{"content":"x"},"latency_ms":1}`, "this request does not hold the reply to the one before it"},
		"the start is missing": {`{"kind":"model","at":"turn 2","request":{"as_before":1},"reply":{"content":"x"},"latency_ms":1}`,
			"this request has 1 message; it goes on from the one before it, which had 2"},
		"messages are gone": {`{"kind":"model","at":"turn 2","request":{"as_before":2},"reply":{"content":"x"},"latency_ms":1}`,
			"this request has no more messages than the previous one, which was answered"},
		"messages of null": {`{"kind":"model","at":"turn 2","request":{"as_before":2,"messages":null},"reply":{"content":"x"},` +
			`"latency_ms":1}`, "this request has no more messages than the previous one, which was answered"},
		"an empty list of messages": {`{"kind":"model","at":"turn 1","request":{"as_before":2,"messages":[]},` +
			`"reply":{"content":"x"},"latency_ms":1}`, "this request has no more messages than the previous one, which was answered"},
		"neither reply nor error": {`{"kind":"judge","at":"","request":{},"reply":null,"latency_ms":1}`,
			"an exchange must have a reply or an error"},
		"no object": {`7`, "an exchange must be an object, found the number 7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := open(exchanges(asked, c.second), Options{})
			contains(t, err, c.want)
		})
	}
}

func TestPartsOfTrialID(t *testing.T) {
	t.Parallel()
	for id, want := range map[string][3]string{
		"refund/gpt-4o/default":          {"refund", "gpt-4o", "default"},
		"refund/gpt-4o/eu#12[a/b]":       {"refund", "gpt-4o", "eu"},
		"shop/refund/gpt-4o/default":     {},
		"refund/meta/llama/default#2":    {},
		"refund":                         {},
		"polite/eval/default[a_b/c]#3/d": {"polite", "eval", "default"},
	} {
		var got [3]string
		if got[0], got[1], got[2] = partsOfTrialID(id); got != want {
			t.Errorf("%s: got %q, want %q", id, got, want)
		}
	}
}

func TestCassetteHint(t *testing.T) {
	t.Parallel()
	for hint, notes := range map[string]int{"cassette": 0, "arena_cassette": 0, "generic": 0, "": 0, "transcript": 1} {
		f, err := open(exchanges(asked), Options{Type: hint})
		if err != nil {
			t.Fatal(err)
		}
		if f.Format() != FormatCassette || len(f.Notes()) != notes {
			t.Errorf("type %q: read as %s, notes %q", hint, f.Format(), f.Notes())
		}
	}
}

// TestCassetteMedia: media are read from the folder beside the cassette, if their content has the right hash.
func TestCassetteMedia(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256([]byte("sound"))
	hash := hex.EncodeToString(sum[:])
	for name, c := range map[string]struct{ kept, data, path, want string }{
		"kept":    {"sound", "c291bmQ=", "", ""},
		"not":     {"", "", "media/" + hash, ""},
		"changed": {"noise", "", "", "their content has another hash"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, mediaFolder), 0o755); err != nil {
				t.Fatal(err)
			}
			if c.kept != "" {
				if err := os.WriteFile(filepath.Join(dir, mediaFolder, hash), []byte(c.kept), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			text := strings.Replace(string(exchanges(asked)), `"content":"Hello"`,
				`"content":"","parts":[{"type":"audio","media":{"mime_type":"audio/wav","sha256":"`+hash+`"}}]`, 1)
			path := filepath.Join(dir, "c.json")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := Open(path, Options{})
			if c.want != "" {
				contains(t, err, "c.json:1:", c.want)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			s, err := f.Load(0)
			if err != nil {
				t.Fatal(err)
			}
			if m := s.Messages[2].Parts[0].Media; m.Data != c.data || m.Path != c.path || m.Local {
				t.Errorf("got %+v", m)
			}
		})
	}
}
