package generate

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/scenario"
)

func says(role chat.Role, text string, asserted ...recording.Verdict) recording.Message {
	return recording.Message{Message: chat.Message{Role: role, Content: text}, Offset: -1, Verdicts: asserted}
}

func check(kind, params string, passed bool) recording.Verdict {
	return recording.Verdict{Type: kind, Params: json.RawMessage(params), Passed: passed}
}

// loads reads a generated file as arena run does and returns the one scenario in it.
func loads(t *testing.T, made *Scenario) *scenario.Scenario {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, made.ID+".yaml"), []byte(made.Text), 0o600); err != nil {
		t.Fatal(err)
	}
	var compiler checks.Compiler
	suite, diags := scenario.Load(scenario.Options{Dir: dir, Paths: []string{made.ID + ".yaml"},
		Compile: func(c *scenario.Check, d *diag.List) {
			if out := compiler.Compile(c, d); out != nil {
				c.Compiled = out
			}
		}})
	if problems := diags.Sorted(); len(problems) > 0 {
		t.Fatalf("%v: %s\nin\n%s", problems[0].Pos, problems[0].Msg, made.Text)
	}
	if len(suite.Projects[0].Scenarios) != 1 {
		t.Fatalf("%d scenarios in\n%s", len(suite.Projects[0].Scenarios), made.Text)
	}
	return suite.Projects[0].Scenarios[0]
}

var hostile = []string{
	"plain", "{{name}}", "{{ .x }} {{{y}}}", "a\nassertions:\n  - type: contains\n", "\x00\x1b[31m\u202e", "---\n...\n# x", "- a: b",
	"'\"`\\", "null", "yes", "12", "\u2028\ufeff", " lead", "trail ", "\ttab\n\n\n", "&a *a !!binary", "\r\n", "{}", "[", "}}{{",
	strings.Repeat("x", 1<<16), "\xff\xfe", "名前\U0001f600",
}

// TestHostileTexts: every text of a conversation is written so that it loads unchanged, without problems.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for i, text := range hostile {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			m := says(chat.Assistant, text)
			m.ToolCalls = []chat.ToolCall{
				{ID: "c", Name: "tool", Args: map[string]any{text: text, "list": []any{text, json.Number("1.50"), nil}}},
				{ID: "d", Name: "tool", BadArgs: text},
			}
			result := says(chat.ToolRole, "")
			result.ToolResult = &chat.ToolResult{ID: "c", Name: "tool", Content: text}
			wanted := text
			if strings.TrimSpace(text) == "" { // no check looks for what is blank
				wanted = "x" + text
			}
			params, err := json.Marshal(map[string]any{"patterns": []string{wanted}})
			if err != nil {
				t.Fatal(err)
			}
			last := says(chat.Assistant, text, recording.Verdict{Type: "contains", Params: params, Message: text, Explanation: text})
			last.ToolCalls = []chat.ToolCall{{ID: "e", Name: "tool"}} // after which the conversation broke off
			s := &recording.Session{
				File: text, ID: text, Scenario: text, Provider: text, Model: text, Error: text,
				Tags: []string{"tag" + text}, Labels: map[string]string{"label": text}, Started: time.Unix(0, 0),
				Messages: []recording.Message{says(chat.User, "x"+text), m, result, last},
			}
			made, err := New(Options{}).Scenario(s)
			if strings.ContainsAny(text, "\x00\u202e") { // no check looks for a character that nothing shows
				if err == nil || !strings.Contains(err.Error(), "cannot be carried over") {
					t.Fatalf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if strings.ContainsFunc(made.Text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
				t.Errorf("what nobody sees stands in\n%q", made.Text)
			}
			got := loads(t, made)
			want := strings.ToValidUTF8(text, "\ufffd")
			turn := got.Turns[0]
			if diff := cmp.Diff("x"+want, turn.Content); diff != "" {
				t.Errorf("content (-want +got):\n%s", diff)
			}
			if sent, open := scenario.Render(turn.Content, nil); !turn.Literal && (sent != "x"+want || len(open) > 0) {
				t.Error("the text is taken for a template")
			}
			if turn.Inline()[0].Content != want || turn.Inline()[1].Content != want || turn.Inline()[0].Results[0].Content != want {
				t.Errorf("replies: %q, %q, %q", turn.Inline()[0].Content, turn.Inline()[1].Content, turn.Inline()[0].Results[0].Content)
			}
			args := map[string]any{want: want, "list": []any{want, json.Number("1.50"), nil}}
			if diff := cmp.Diff(args, turn.Inline()[0].ToolCalls[0].Args); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
			if turn.Inline()[len(turn.Inline())-1].Error == "" || len(turn.Assertions) != 1 {
				t.Error("the error or the assertion is lost")
			}
			if len(made.ID) > maxName || strings.Trim(made.ID, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
				t.Errorf("id %q", made.ID)
			}
		})
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	var names Names
	for _, c := range []struct{ text, want string }{
		{"Refund/GPT-4o#2", "refund-gpt-4o-2"}, {"refund gpt 4o 2", "refund-gpt-4o-2-2"}, {"../../etc/passwd", "etc-passwd"},
		{"", "session"}, {"..", "session-2"}, {"名前", "session-3"}, {"con", "con-session"}, {"COM1", "com1-session"},
		{strings.Repeat("a", 80), strings.Repeat("a", 63)}, {strings.Repeat("a", 70), strings.Repeat("a", 61) + "-2"},
	} {
		if got := names.Unique(c.text, "session"); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestWhatCannotBeTold(t *testing.T) {
	t.Parallel()
	picture := says(chat.User, "")
	picture.Parts = []chat.Part{{Type: "text", Text: "Look"}, {Type: "image", Media: &chat.Media{SHA256: "x", Size: 1}}}
	for _, c := range []struct {
		name string
		s    recording.Session
		want string
	}{
		{"nobody answers", recording.Session{Messages: []recording.Message{says(chat.User, "Hi")}}, "nobody answered in it"},
		{"it broke off after the last reply", recording.Session{
			Error: "no more", Messages: []recording.Message{says(chat.User, "Hi"), says(chat.Assistant, "Hello")},
		}, "it broke off after its last reply, which a scenario cannot express: no more"},
		{"silence", recording.Session{Messages: []recording.Message{says(chat.User, " "), says(chat.Assistant, "Hello?")}},
			"turn 1: the user says nothing"},
		{"a picture", recording.Session{Messages: []recording.Message{picture, says(chat.Assistant, "Nice")}},
			"turn 1: the user sends a part of type image, whose data the recording does not hold"},
		{"a failed check without parameters", recording.Session{Messages: []recording.Message{says(chat.User, "Hi"),
			says(chat.Assistant, "Hello", check("contains", "", false))}},
			"contains of turn 1 failed and cannot be carried over: its parameters were not recorded"},
		{"a failed check of another tool", recording.Session{
			Messages: []recording.Message{says(chat.User, "Hi"), says(chat.Assistant, "Hello")},
			Verdicts: []recording.Verdict{check("theirs", "{}", false)}},
			`theirs of the conversation failed and cannot be carried over: unknown check "theirs"`},
	} {
		_, err := New(Options{}).Scenario(&c.s)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

func TestNotes(t *testing.T) {
	t.Parallel()
	s := &recording.Session{ID: "S", Messages: []recording.Message{
		says(chat.Assistant, "Welcome"),
		says(chat.User, "Hi"), says(chat.User, "there"),
		says(chat.Assistant, "One", check("contains", `{"patterns":["one"]}`, true)),
		says(chat.Assistant, "Two", check("contains", `{"patterns":["one"]}`, true), check("contains", "", true),
			recording.Verdict{Type: "contains", Skipped: true}),
		says(chat.User, "Bye"),
	}}
	made, err := New(Options{}).Scenario(s)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"what the assistant said before the user spoke is left out",
		"turn 2: consecutive messages of the assistant became one",
		"contains of turn 2 is left out: its parameters were not recorded",
		"contains of turn 2 is left out: it was skipped, and its condition was not recorded",
		"turn 3 is left out: nobody answered",
	}
	if diff := cmp.Diff(want, made.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	got := loads(t, made)
	if len(got.Turns) != 1 || got.Turns[0].Content != "Hi\nthere" || got.Turns[0].Inline()[0].Content != "One\n\nTwo" ||
		len(got.Turns[0].Assertions) != 1 {
		t.Errorf("got\n%s", made.Text)
	}
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	of := func(kind, params, why string, passed bool) *recording.Session {
		a := check(kind, params, passed)
		a.Explanation = why
		return &recording.Session{Messages: []recording.Message{says(chat.User, "Hi"), says(chat.Assistant, "x", a)}}
	}
	first := Fingerprint(of("contains", `{"patterns":["30 days","b"]}`, `missing "30 days" in 120 bytes of "Hello"`, false))
	for _, c := range []struct {
		name string
		s    *recording.Session
		same bool
	}{
		{"other numbers and texts", of("contains", `{ "patterns": ["30 days", "b"] }`, `Missing "30 days"  in 7 bytes of "Bye"`, false), true},
		{"another pattern missing", of("contains", `{"patterns":["30 days","b"]}`, `missing "b" in 120 bytes of "Hello"`, false), false},
		{"other parameters", of("contains", `{"patterns":["30 days"]}`, `missing "30 days" in 120 bytes of "Hello"`, false), false},
		{"another check", of("regex", `{"patterns":["30 days","b"]}`, `missing "30 days" in 120 bytes of "Hello"`, false), false},
		{"passed", of("contains", `{"patterns":["30 days","b"]}`, "", true), false},
	} {
		if got := Fingerprint(c.s); got == first != c.same {
			t.Errorf("%s: got %s for %s", c.name, got, first)
		}
	}
	if first != "3586b6581d3fc957" { // it must stay the same from version to version
		t.Errorf("got %q", first)
	}
	judge := func(why string) string {
		return Fingerprint(of("llm_judge", `{"criteria":"kind"}`, why, false))
	}
	if judge("rude in tone") != judge("he was not kind") {
		t.Error("the words of a judge count")
	}
	broken := func(why string) string { return Fingerprint(&recording.Session{Error: why}) }
	if broken("status 500 after 3 s") != broken("status 503 after 12 s") || broken("x") == broken("") || broken("") != "" {
		t.Error("errors")
	}
}

// TestNothingIsUnseen: invisible characters and those that reverse the text direction are escaped in the file.
func TestNothingIsUnseen(t *testing.T) {
	t.Parallel()
	const text = "a\u202e\u2066b\u00ad \u00a0{{x}}\U000e0041"
	s := &recording.Session{ID: "s", Model: text, Messages: []recording.Message{
		says(chat.User, text, check("min_length", `{"min": 1}`, true)), says(chat.Assistant, text),
	}}
	made, err := New(Options{}).Scenario(s)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsFunc(made.Text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
		t.Errorf("what nobody sees stands in\n%q", made.Text)
	}
	turn := loads(t, made).Turns[0]
	if turn.Content != text || turn.Inline()[0].Content != text {
		t.Errorf("got %q and %q", turn.Content, turn.Inline()[0].Content)
	}
}

// TestNothingIsATemplate: whatever was recorded with braces, in a name, a value or a key, is asked for as it was: no
// scalar of the file that placeholders are put into holds one.
func TestNothingIsATemplate(t *testing.T) {
	t.Parallel()
	vars := map[string]string{"region": "default", "x": "1"}
	for _, text := range []string{"t{{region}}", "../t{{x}}", `\{{region}}`, `\\{{x}}`, "{{{x}}}", "{% if x %}"} {
		failed := recording.Verdict{Type: "tools_called", Message: text, Explanation: "not called", Params: json.RawMessage(
			`{"tool_names": [` + quoted(t, text) + `]}`)}
		withArgs := recording.Verdict{Type: "tool_calls_with_args", Passed: true, Params: json.RawMessage(
			`{"tool_name": ` + quoted(t, text) + `, "expected_args": {` + quoted(t, text) + `: [` + quoted(t, text) + `]}}`)}
		for name, verdicts := range map[string][]recording.Verdict{"checks": {failed, withArgs}, "no check": nil} {
			call := says(chat.Assistant, text)
			call.ToolCalls = []chat.ToolCall{{ID: "c", Name: text, Args: chat.Args{text: text}}}
			answer := says(chat.ToolRole, "")
			answer.ToolResult = &chat.ToolResult{ID: "c", Name: text, Content: text}
			s := &recording.Session{
				File: text, ID: text, Scenario: text, Model: text, Labels: map[string]string{text: text},
				Messages: []recording.Message{says(chat.User, text), call, answer, says(chat.Assistant, text)}, Verdicts: verdicts,
			}
			made, err := New(Options{}).Scenario(s)
			if err != nil {
				t.Fatalf("%q, %s: %v", text, name, err)
			}
			got, seen := loads(t, made), 0
			if got.Turns[0].Content != text || !got.Turns[0].Literal {
				t.Errorf("%q, %s: the user says %q", text, name, got.Turns[0].Content)
			}
			var walk func(n *node.Node)
			walk = func(n *node.Node) {
				rendered, open := scenario.Render(n.Value, vars)
				if plain, _ := scenario.Render(n.Value, nil); plain != rendered || len(open) > 0 {
					t.Errorf("%q, %s: %q is a template in\n%s", text, name, n.Value, made.Text)
				}
				if rendered == text {
					seen++
				}
				for _, c := range n.Content {
					walk(c)
				}
			}
			doc := node.Parse(&node.Reader{File: "s.yaml", Diags: &diag.List{}}, []byte(made.Text))[0]
			for _, key := range []string{"description", "conversation_assertions"} {
				walk(node.Get(doc, key))
			}
			if want := map[string]int{"checks": 5, "no check": 1}[name]; seen != want {
				t.Errorf("%q, %s: %d places ask for it, want %d, in\n%s", text, name, seen, want, made.Text)
			}
		}
	}
}

func quoted(t *testing.T, text string) string {
	t.Helper()
	out, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
