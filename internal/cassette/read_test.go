package cassette

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/filelock"
	"github.com/arena-evals/arena/internal/plainfile"
)

const whole = `{
  "arena_cassette": 1,
  "trial": "a/b/c",
  "tools": [
    {
      "name": "pay"
    }
  ],
  "exchanges": [
    {
      "kind": "model",
      "at": "turn 1",
      "request": {
        "messages": [
          {
            "role": "user",
            "content": "Hi"
          }
        ],
        "tools": [
          "pay"
        ],
        "temperature": 0
      },
      "reply": {
        "content": [
          "Dear",
          "Ada"
        ],
        "chunks": "5@1.5 3@2",
        "usage": {
          "input_tokens": 1,
          "output_tokens": 2
        },
        "cost_usd": null
      },
      "latency_ms": 3.5
    }
  ]
}
`

// TestEdited: every mistake of a person who edits a cassette is reported at its position.
func TestEdited(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, old, edited, want string }{
		{"a comma is missing", `"at": "turn 1",`, `"at": "turn 1"`, `c.json:13:7: invalid character '"' after object key:value pair`},
		{"half a file", `"latency_ms": 3.5`, "\x00", "c.json:37:7: invalid character"},
		{"another version", `"arena_cassette": 1`, `"arena_cassette": 2`,
			"c.json:2:21: this arena reads version 1 of cassettes, found 2"},
		{"no version", `"arena_cassette": 1,`, ``, "c.json:1:1: the cassette has no arena_cassette"},
		{"another trial", `"a/b/c"`, `"a/b/d"`, `c.json:3:12: the file is named for the trial "a/b/c" and holds "a/b/d"`},
		{"a mistyped field", `"content": "Hi"`, `"contents": "Hi"`, `c.json:17:13: unknown field "contents" in an entry of messages`},
		{"a field twice", `"at": "turn 1",`, `"at": "turn 1", "at": "turn 2",`, `c.json:12:23: key "at" is already set on line 12`},
		{"a mistyped kind", `"model"`, `"modle"`, `c.json:11:15: kind cannot be "modle"; expected one of model, judge`},
		{"a text for a number", `3.5`, `"3.5"`, "c.json:37:21: latency_ms must be a number that is not negative, found 3.5"},
		{"less than nothing", `"output_tokens": 2`, `"output_tokens": -2`,
			"c.json:33:28: output_tokens must be a whole number that is not negative, found -2"},
		{"half a token", `"output_tokens": 2`, `"output_tokens": 2.5`, "c.json:33:28: output_tokens must be a whole number"},
		{"forever", `3.5`, `1e300`, "c.json:37:21: latency_ms is more than a day"},
		{"a line that is none", `"Ada"`, `7`, "c.json:28:11: a line of content must be a text, found 7"},
		{"chunks that are none", `5@1.5`, `five`, `c.json:30:19: chunks: chunks are written like 5@12.3 7@14`},
		{"an unknown tool", `"tools": [
          "pay"`, `"tools": [
          "pya"`, `c.json:21:11: the tools of this cassette do not define "pya"`},
		{"messages from nowhere", `"messages": [`, `"as_before": 1, "messages": [`,
			"c.json:14:22: as_before is 1, and the model request before this one has 0 messages"},
		{"no request", `"request": {`, `"reqest": {`, `c.json:13:7: unknown field "reqest" in an exchange`},
		{"no reply", `"reply": {`, `"replay": {`, `c.json:25:7: unknown field "replay" in an exchange`},
		{"nothing", whole, "", "c.json:1:1: the cassette is empty"},
		{"a list", whole, "[]", "c.json:1:1: the cassette must be a map, found a list"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(whole, c.old) {
				t.Fatal("the test edits what is not there")
			}
			var d diag.List
			new(Folder).checkFile("c.json", "a/b/c", []byte(strings.Replace(whole, c.old, c.edited, 1)), &d)
			if all := d.Sorted(); len(all) == 0 || !strings.HasPrefix(all[0].Pos.String()+": "+all[0].Msg, c.want) {
				t.Errorf("want %s", c.want)
				for _, p := range all {
					t.Errorf("got  %s: %s", p.Pos, p.Msg)
				}
			}
		})
	}
}

func TestWholeFileIsKept(t *testing.T) {
	t.Parallel()
	var d diag.List
	entries := new(Folder).checkFile("c.json", "a/b/c", []byte(whole), &d)
	for _, p := range d.Sorted() {
		t.Errorf("%s: %s", p.Pos, p.Msg)
	}
	got, err := encode("a/b/c", &contents{entries: entries})
	if diff := cmp.Diff(whole, string(got)); diff != "" || err != nil {
		t.Errorf("%v (-file +written again):\n%s", err, diff)
	}
}

// FuzzCassette: no file makes arena panic, positions of problems are inside the file, and a file that was read is
// written unchanged.
func FuzzCassette(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(strings.ReplaceAll(whole, "model", "judge")))
	f.Add([]byte(strings.Replace(whole, `"chunks": "5@1.5 3@2"`, `"chunks": "999999@1"`, 1)))
	f.Add([]byte(`{"arena_cassette":1,"trial":"a/b/c","exchanges":[{"kind":"embedding","at":"","request":{"texts":["a"]},` +
		`"reply":{"vectors":["1 2e-9"],"cost_usd":0},"latency_ms":0}]}`))
	f.Add([]byte(`{"arena_cassette":1,"trial":"a/b/c","exchanges":[{"kind":"http","at":"x","request":{"to":"u","body":{"a":1}},` +
		`"error":{"text":["a","b"],"kind":"auth"},"latency_ms":1}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var d diag.List
		entries := new(Folder).checkFile("c.json", "a/b/c", data, &d)
		lines := bytes.Count(data, []byte("\n")) + 1
		for _, p := range d.Sorted() {
			if p.Pos.Line < 0 || int(p.Pos.Line) > lines {
				t.Errorf("%s is not in the file", p.Pos)
			}
		}
		if d.Errors() > 0 {
			return
		}
		written, err := encode("a/b/c", &contents{entries: entries})
		if err != nil {
			t.Fatal(err)
		}
		again := new(Folder).checkFile("c.json", "a/b/c", written, &d)
		for _, p := range d.Sorted() {
			t.Fatalf("%s: %s\n%s", p.Pos, p.Msg, written)
		}
		if rewritten, err := encode("a/b/c", &contents{entries: again}); err != nil || !bytes.Equal(written, rewritten) {
			t.Errorf("%v: written otherwise the second time\n%s\n%s", err, written, rewritten)
		}
		for i := range entries {
			if errors.Join(entries[i].sign(), again[i].sign()) != nil || entries[i].key != again[i].key {
				t.Errorf("exchange %d answers another question when it is read again", i+1)
			}
		}
	})
}

func TestRedaction(t *testing.T) {
	t.Parallel()
	r := newRedactor([]string{"s3cr&t \"x\"", "abc"}, []string{"Email", "card"})
	for in, want := range map[string]string{
		"key s3cr&t \"x\" abc":                                 "key [redacted] abc",
		`{"k": "s3cr&t \"x\""}`:                                `{"k": "[redacted]"}`,
		"https://u/?k=s3cr%26t+%22x%22":                        "https://u/?k=[redacted]",
		`{"email": "ada@x.org", "n": 1.50}`:                    `{"email": "[redacted]", "n": 1.50}`,
		"[{\"card\":  {\"no\": [1, 2]}, \"b\":\t2}]":           "[{\"card\":  \"[redacted]\", \"b\":\t2}]",
		`{"a": {"EMAIL": null}, "email": ["x"], "z": "email"}`: `{"a": {"EMAIL": "[redacted]"}, "email": "[redacted]", "z": "email"}`,
		`{"n": "{\"card\": \"6011\", \"k\": 1}", "z": 2}`:      `{"n": "{\"card\": \"[redacted]\", \"k\": 1}", "z": 2}`,
		`[1, "[{\"Card\": 6011}]"]`:                            `[1, "[{\"Card\": \"[redacted]\"}]"]`,
		`email: ada@x.org`:                                     `email: ada@x.org`,
		`{"email": "ada@x.org"} and more`:                      `{"email": "[redacted]"} and more`,
		"":                                                     "",
	} {
		got := string(r.text(in))
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
		if again := string(r.text(got)); again != got {
			t.Errorf("%s becomes %s the second time", got, again)
		}
	}
	args := r.args(map[string]any{"email": "ada@x.org", "list": []any{map[string]any{"card": 7}}, "keep": "abc"})
	want := map[string]any{"email": redacted, "list": []any{map[string]any{"card": redacted}}, "keep": "abc"}
	if diff := cmp.Diff(want, args); diff != "" {
		t.Error(diff)
	}
	if newRedactor([]string{"abc"}, nil) != nil {
		t.Error("there is nothing to take out")
	}
}

// TestMisses: the error says what changed in the request, and how to record it again.
func TestMisses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	record := open(t, folderIn(dir, false))
	l := record.Lane("turn 1")
	m := &model{reply: chat.Reply{Content: "ok"}}
	if _, err := l.Complete(t.Context(), m, "gpt-4o", request("Where is my teapot?"), nil); err != nil {
		t.Fatal(err)
	}
	closed(t, record)
	for _, c := range []struct {
		name   string
		change func(*chat.Request) string
		want   string
	}{
		{"a word of the prompt", func(r *chat.Request) string {
			r.Messages[0].Content = "Be kind.\nBe long.\n"
			return "gpt-4o"
		}, "differs from the recorded one (turn 1) in\nmessage 1 (system) content, line 2:\n  - Be short.\n  + Be long.\n"},
		{"a parameter and the model", func(r *chat.Request) string {
			r.Temperature = new(0.7)
			return "gpt-5"
		}, "in\nmodel:\n  - gpt-4o\n  + gpt-5\ntemperature:\n  - 0.5\n  + 0.7\n"},
		{"a parameter that was not set", func(r *chat.Request) string {
			r.MaxTokens = new(5)
			return "gpt-4o"
		}, "in\nmax_tokens, which is new:\n  + 5\n"},
		{"a message more", func(r *chat.Request) string {
			r.Messages = append(r.Messages, chat.Message{Role: chat.Assistant, Content: "Here."})
			return "gpt-4o"
		}, "in\nmessage 3 (assistant) content, which is new:\n  + Here.\n"},
		{"a tool", func(r *chat.Request) string {
			r.Tools[0].Description = "Pays nothing"
			return "gpt-4o"
		}, "in\ntool pay.description:\n  - Pays <all>\n  + Pays nothing\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tape := open(t, folderIn(dir, true))
			req := request("Where is my teapot?")
			name := c.change(req)
			_, err := tape.Lane("turn 1").Complete(t.Context(), nil, name, req, nil)
			if !isMiss(err) || !strings.Contains(err.Error(), c.want) ||
				!strings.HasSuffix(err.Error(), "\nto record the trial again: arena run --record "+dir) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if _, err := tape.Close(true); !isMiss(err) {
				t.Errorf("the trial must not count: %v", err)
			}
		})
	}
	tape := open(t, folderIn(dir, true))
	for i := range 2 {
		_, err := tape.Lane("turn 1").Complete(t.Context(), nil, "gpt-4o", request("Where is my teapot?"), nil)
		if i == 1 && (!isMiss(err) || !strings.Contains(err.Error(), "asked once more than recorded")) {
			t.Errorf("the second time: %v", err)
		}
	}
}

func TestLeftOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	record := open(t, folderIn(dir, false))
	for _, at := range []string{"turn 1", "turn 2", "turn 2"} {
		if _, err := record.Lane(at).Complete(t.Context(), &model{}, "", request(at), nil); err != nil {
			t.Fatal(err)
		}
	}
	closed(t, record)
	if notice := closed(t, open(t, folderIn(dir, true))); !strings.Contains(notice,
		"holds more than was asked for: model (turn 1), model (turn 2) ×2; to record the trial again: arena run") {
		t.Error(notice)
	}
	d := folderIn(dir, true)
	d.Strict = true
	if _, err := open(t, d).Close(true); err == nil {
		t.Error("strictly it is an error")
	}
}

func TestLock(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	first, second := folderIn(dir, false), folderIn(dir, false)
	unlock, err := first.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.Lock(); err == nil || !strings.Contains(err.Error(), "another arena records into "+dir+": process ") {
		t.Errorf("two at once: %v", err)
	}
	half := filepath.Join(dir, strings.Replace(plainfile.TempPattern, "*", "123", 1))
	if err := os.WriteFile(half, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	unlock, err = second.Lock()
	if err != nil {
		t.Fatalf("the first has gone: %v", err)
	}
	if _, err := os.Stat(half); err == nil {
		t.Error("what was left half written is still there")
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
}

// TestLockLink: a link in the place of the lock file is not followed.
func TestLockLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	diary := filepath.Join(dir, "diary")
	if err := os.WriteFile(diary, []byte("dear"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(diary, filepath.Join(dir, lockName)); err != nil {
		t.Skip(err)
	}
	if _, err := folderIn(dir, false).Lock(); !errors.Is(err, filelock.ErrNotOurs) {
		t.Errorf("%v", err)
	}
	if text, err := os.ReadFile(diary); string(text) != "dear" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

// isMiss reports whether an error says that a recorded answer is missing.
func isMiss(err error) bool {
	_, ok := errors.AsType[*missError](err)
	return ok
}
