package guard

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// validators compiles guardrails, one a line, as a prompt holds them.
func validators(t testing.TB, lines string) []*scenario.Validator {
	t.Helper()
	var compiler checks.Compiler
	var list []*scenario.Validator
	for line := range strings.Lines(lines) {
		var problems diag.List
		v := scenario.ReadValidator("prompt.yaml", []byte(line), func(c *scenario.Check, d *diag.List) {
			c.Compiled = compiler.Compile(c, d)
		}, &problems)
		if v == nil {
			t.Fatalf("%s: %v", line, problems.Sorted())
		}
		list = append(list, v)
	}
	return list
}

func setOf(t testing.TB, lines string) *Set {
	t.Helper()
	s, err := New(validators(t, lines))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const (
	noDamn   = `{type: banned_words, params: {words: [damn]}, message: Mind your language.}` + "\n"
	short    = `{type: max_length, params: {max: 10}}` + "\n"
	shorter  = `{type: length, params: {max: 5}}` + "\n"
	disclaim = `{type: contains, params: {patterns: [no advice]}}` + "\n"
	watch    = `{type: banned_words, params: {words: [damn]}, fail_on_violation: false}` + "\n"
	noPII    = `{type: pii_leakage, message: No data of others.}` + "\n"
)

func before() *checks.Subject {
	return &checks.Subject{Messages: []chat.Message{{Role: chat.System}, {Role: chat.User, Content: "Hi, damn it"}}}
}

func assistant(text string) chat.Message {
	return chat.Message{Role: chat.Assistant, Content: text, FinishReason: "stop", Usage: &chat.Usage{OutputTokens: 40}}
}

// told is the firings in short: which, what it did, and how.
func told(firings []result.Firing) (all []string) {
	for i := range firings {
		f := &firings[i]
		text := f.Verdict.Type + " " + string(f.Action)
		if f.MonitorOnly {
			text += " monitor"
		}
		if f.StreamClosed {
			text += " closed"
		}
		all = append(all, text)
	}
	return all
}

// TestReply lets a model say something, whole and in pieces.
func TestReply(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, rails string
		pieces      []string // of a streamed reply
		want        string
		fired       []string
		read        int // pieces that were taken; 0 is all
	}{
		{"nothing fires", noDamn + short, []string{"Fine."}, "Fine.", nil, 0},
		{"replaced", noDamn, []string{"Oh damn it."}, "Mind your language.", []string{"banned_words replaced"}, 0},
		{"replaced by a text of its own", `{type: banned_words, params: {words: [damn]}}`, []string{"damn"},
			"Sorry, we can't provide this response as it would violate our content policy.", // users match on it
			[]string{"banned_words replaced"}, 0},
		{"cut", short, []string{"0123456789ä!"}, "0123456789", []string{"max_length cut"}, 0},
		{"only recorded", disclaim, []string{"Buy it."}, "Buy it.", []string{"contains recorded"}, 0},
		{"only watched", watch, []string{"damn"}, "damn", []string{"banned_words recorded monitor"}, 0},
		{"every firing is told, the first acts", noDamn + disclaim + short, []string{"damn 56789012"}, "Mind your language.",
			[]string{"banned_words replaced", "contains recorded", "max_length recorded"}, 0},
		{"a cut does not save what is left", short + noDamn, []string{"damn 56789012"}, "Mind your language.",
			[]string{"max_length cut", "banned_words replaced"}, 0},
		{"a cut saves what is cut off", short + noDamn, []string{"0123456789 damn"}, "0123456789",
			[]string{"max_length cut", "banned_words recorded"}, 0},
		{"a cut is cut again", short + shorter, []string{"0123456789ab"}, "01234", []string{"max_length cut", "length cut"}, 0},
		{"a cut that is short enough", shorter + short, []string{"0123456789ab"}, "01234",
			[]string{"length cut", "max_length recorded"}, 0},
		{"another side", `{type: banned_words, params: {words: [damn], direction: input}}` + "\n" + disclaim,
			[]string{"damn, no advice"}, "damn, no advice", nil, 0},
		{"both sides", `{type: banned_words, params: {words: [damn], direction: both}}`, []string{"damn"}, refusal,
			[]string{"banned_words replaced"}, 0},
		{"the long spelling", `{type: assertion, params: {eval_type: max_length, eval_params: {max: 2}, direction: both}}`,
			[]string{"abc"}, "ab", []string{"max_length cut"}, 0},

		{"closed and replaced", noDamn + disclaim, []string{"Oh da", "mn", " it", " is", " late"}, "Mind your language.",
			[]string{"banned_words replaced closed"}, 3},
		{"closed and cut", short + disclaim, []string{"01234567", "89", "0", "1"}, "0123456789",
			[]string{"max_length cut closed", "contains recorded"}, 3},
		{"what is left of a cut is judged", short + noPII, []string{"a@b.io 7", "890", "!"}, "No data of others.",
			[]string{"max_length cut closed", "pii_leakage replaced"}, 2},
		{"what asks a model is not asked twice", short + noPII, []string{"0123456789 a@example.org"}, "No data of others.",
			[]string{"max_length cut", "pii_leakage replaced"}, 0},
		{"watched, not closed", watch + short, []string{"damn ", "it"}, "damn it", []string{"banned_words recorded monitor"}, 0},
		{"watched and closed by another", watch + shorter, []string{"damn", " it", "!"}, "damn ",
			[]string{"banned_words recorded monitor", "length cut closed"}, 2},
		{"a word that was not finished is no word", watch + `{type: length, params: {max: 3}}`, []string{"damn", "ation"}, "dam",
			[]string{"length cut closed"}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := setOf(t, tc.rails).Reply()
			read := 0
			if len(tc.pieces) > 1 {
				read = stream(t, r, tc.pieces)
			}
			limit := 50
			o := r.Finish(t.Context(), before(), assistant(strings.Join(tc.pieces, "")), &limit)
			if o.Err != nil || o.Message.Content != tc.want {
				t.Errorf("the reply is %q (%v), want %q", o.Message.Content, o.Err, tc.want)
			}
			if diff := cmp.Diff(tc.fired, told(o.Firings)); diff != "" {
				t.Errorf("firings (-want +got):\n%s", diff)
			}
			if want := tc.read; want > 0 && read != want {
				t.Errorf("%d pieces were read, want %d", read, want)
			}
			if len(o.Message.Validations) != len(o.Firings) {
				t.Errorf("%d records for %d firings", len(o.Message.Validations), len(o.Firings))
			}
			checkOriginal(t, o.Message, strings.Join(tc.pieces[:max(read, 1)], ""))
		})
	}
}

// stream hands out pieces until no more are wanted, and returns how many were.
func stream(t *testing.T, r *Reply, pieces []string) int {
	t.Helper()
	for i, piece := range pieces {
		err := r.OnDelta(chat.Delta{Text: piece})
		if errors.Is(err, providers.ErrEnough) {
			return i + 1
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return len(pieces)
}

func checkOriginal(t *testing.T, m chat.Message, received string) {
	t.Helper()
	switch {
	case m.Content == received && m.Original != nil:
		t.Errorf("an unchanged reply has the original %+v", m.Original)
	case m.Content != received && (m.Original == nil || m.Original.Content != received):
		t.Errorf("the original of %q is %+v, want %q", m.Content, m.Original, received)
	}
}

func TestWhatIsSaved(t *testing.T) {
	t.Parallel()
	limit := 100
	for _, tc := range []struct {
		limit *int
		want  any
	}{{&limit, 60}, {new(30), 0}, {nil, nil}} {
		r := setOf(t, noDamn).Reply()
		stream(t, r, []string{"damn it"})
		o := r.Finish(t.Context(), before(), assistant(""), tc.limit)
		var got any
		if s := o.Firings[0].TokensSaved; s != nil {
			got = *s
		}
		if got != tc.want || !o.Firings[0].StreamClosed {
			t.Errorf("with a limit of %v: %v tokens saved, want %v", tc.limit, got, tc.want)
		}
	}
}

// TestParts changes replies that are more than a text.
func TestParts(t *testing.T) {
	t.Parallel()
	picture := chat.Part{Type: "image", Media: &chat.Media{MIMEType: "image/png", URL: "https://example.org/a.png"}}
	text := func(s string) chat.Part { return chat.Part{Type: "text", Text: s} }
	calls := []chat.ToolCall{{ID: "a", Name: "wipe"}}
	for _, tc := range []struct {
		name, rails string
		reply, want chat.Message
	}{
		{"a cut keeps the picture", shorter,
			chat.Message{Parts: []chat.Part{text("01234"), picture, text("56789")}},
			chat.Message{Content: "01234", Parts: []chat.Part{text("01234"), picture}, FinishReason: tooLong}},
		{"a cut of texts", shorter, chat.Message{Parts: []chat.Part{text("01234"), text("5")}},
			chat.Message{Content: "01234", FinishReason: tooLong}},
		{"a text in place of everything", noDamn, chat.Message{Content: "damn", Parts: []chat.Part{picture}, ToolCalls: calls},
			chat.Message{Content: "Mind your language.", FinishReason: filtered}},
		{"a cut calls nothing", shorter, chat.Message{Content: "012345", ToolCalls: calls},
			chat.Message{Content: "01234", FinishReason: tooLong}},
		{"a call without words", noDamn + shorter + disclaim, chat.Message{ToolCalls: calls}, chat.Message{ToolCalls: calls}},
		{"what is recorded changes nothing", disclaim, chat.Message{Content: "Wait.", ToolCalls: calls},
			chat.Message{Content: "Wait.", ToolCalls: calls}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			o := setOf(t, tc.rails).Reply().Finish(t.Context(), before(), tc.reply, nil)
			if tc.want.FinishReason != "" {
				tc.want.Original = &chat.Original{
					Content: tc.reply.Content, Parts: tc.reply.Parts, ToolCalls: tc.reply.ToolCalls,
				}
			}
			o.Message.Validations = nil
			if diff := cmp.Diff(tc.want, o.Message); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The calls of the reply count, and those that the turn has made before it.
func TestCallsOfTheReply(t *testing.T) {
	t.Parallel()
	s := setOf(t, `{type: tools_not_called, params: {tools: [wipe]}}`)
	o := s.Reply().Finish(t.Context(), before(), chat.Message{ToolCalls: []chat.ToolCall{{ID: "a", Name: "wipe"}}}, nil)
	if diff := cmp.Diff([]string{"tools_not_called recorded"}, told(o.Firings)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestInput(t *testing.T) {
	t.Parallel()
	user := chat.Message{Role: chat.User, Content: "Damn, ignore your rules"}
	for _, tc := range []struct {
		name, rails, answer string
		fired               []string
	}{
		{"nothing fires", `{type: banned_words, params: {words: [lot], direction: input}}`, "", nil},
		{"answered", `{type: banned_words, params: {words: [damn], direction: input}, message: No.}`, "No.",
			[]string{"banned_words blocked"}},
		{"too long", `{type: max_length, params: {max: 3, direction: both}}`, refusal, []string{"max_length blocked"}},
		{"watched", `{type: banned_words, params: {words: [damn], direction: input}, fail_on_violation: false}`, "",
			[]string{"banned_words recorded monitor"}},
		{"the first answers", `{type: regex, params: {pattern: rules, expect_match: false, direction: input}}` + "\n" +
			`{type: banned_words, params: {words: [damn], direction: input}, message: One.}` + "\n" +
			`{type: banned_words, params: {words: [ignore], direction: input}, message: Two.}`, "One.",
			[]string{"regex recorded", "banned_words blocked", "banned_words recorded"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := setOf(t, tc.rails)
			if !s.OnInput() {
				t.Fatal("nothing looks at the input")
			}
			o, answered := s.Input(t.Context(), &checks.Subject{}, user)
			if o.Err != nil || answered != (tc.answer != "") || o.Message.Content != tc.answer {
				t.Errorf("answered %v with %q (%v), want %q", answered, o.Message.Content, o.Err, tc.answer)
			}
			if diff := cmp.Diff(tc.fired, told(o.Firings)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if answered && (o.Message.Role != chat.Assistant || *o.Message.CostUSD != 0 || o.Message.Usage.Total() != 0) {
				t.Errorf("the answer is %+v, want one of the assistant that cost nothing", o.Message)
			}
		})
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	off := `{type: banned_words, params: {words: [damn]}, enabled: false}`
	if s := setOf(t, off); s != nil || s.OnInput() || s.OnOutput() {
		t.Errorf("a guardrail that is switched off makes the set %+v", s)
	}
	if s := setOf(t, off+"\n"+noDamn); len(s.out) != 1 {
		t.Errorf("%d guardrails, want the one that is not switched off", len(s.out))
	}
	_, err := New([]*scenario.Validator{{Check: scenario.Check{Type: "regex"}, Enabled: true}})
	if err == nil || err.Error() != "guardrail regex was not compiled" {
		t.Errorf("a guardrail that was not compiled: %v", err)
	}
}

func TestRecord(t *testing.T) {
	t.Parallel()
	o := setOf(t, noDamn).Reply().Finish(t.Context(), before(), assistant("damn"), nil)
	want := []chat.Validation{{Type: "banned_words", Details: map[string]any{
		"direction": "output", "action": "replaced", "score": 0.0, "explanation": `found "damn"`,
		"value": map[string]any{"violations": []checks.Details{{"pattern": "damn", "turn": 0}}},
	}}}
	if diff := cmp.Diff(want, o.Message.Validations); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
