package replay

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/scenario"
)

// shelfOf is recordings in memory.
type shelfOf []*recording.Session

func (s shelfOf) Sessions() []recording.Ref {
	refs := make([]recording.Ref, len(s))
	for i, r := range s {
		refs[i] = recording.Ref{ID: r.ID, Scenario: r.Scenario, Provider: r.Provider, Model: r.Model}
	}
	return refs
}

func (s shelfOf) Load(i int) (*recording.Session, error) {
	if s[i].Error == "unreadable" {
		return nil, errors.New("line 7: cut")
	}
	return s[i], nil
}

func says(role chat.Role, text string) recording.Message {
	return recording.Message{Message: chat.Message{Role: role, Content: text}, Offset: -1}
}

func user(text string) recording.Message      { return says(chat.User, text) }
func assistant(text string) recording.Message { return says(chat.Assistant, text) }

func calling(id, tool string, args map[string]any) recording.Message {
	m := assistant("")
	m.ToolCalls = []chat.ToolCall{{ID: id, Name: tool, Args: args}}
	return m
}

func result(id, tool, text string) recording.Message {
	m := says(chat.ToolRole, "")
	m.ToolResult = &chat.ToolResult{ID: id, Name: tool, Content: text}
	return m
}

func session(id string, messages ...recording.Message) *recording.Session {
	return &recording.Session{File: "talk.json", ID: id, Messages: messages}
}

func opened(t *testing.T, settings scenario.Replay, sessions ...*recording.Session) *Provider {
	t.Helper()
	if settings.Match == "" {
		settings.Match = "turn"
	}
	p, err := New(Config{ID: "r", Model: "configured", Settings: &settings, Sources: []Source{shelfOf(sessions)}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// talk drives a conversation and returns what was answered, tool calls as name(), until an error.
func talk(p *Provider, at chat.Origin, users ...string) (replies []string) {
	var messages []chat.Message
	for turn, text := range users {
		messages = append(messages, chat.Message{Role: chat.User, Content: text})
		for reply := 0; ; reply++ {
			at.Turn, at.Reply = turn, reply
			r, err := p.Complete(context.Background(), &chat.Request{Messages: messages, Origin: at}, nil)
			if err != nil {
				return append(replies, "error: "+err.Error())
			}
			m := r.Message()
			messages = append(messages, m)
			text := m.Content
			for _, c := range r.ToolCalls {
				text += c.Name + "()"
				messages = append(messages, chat.Message{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: c.ID}})
			}
			if r.Notice != "" {
				text += " [" + r.Notice + "]"
			}
			replies = append(replies, text)
			if len(r.ToolCalls) == 0 {
				break
			}
		}
	}
	return replies
}

func TestLookup(t *testing.T) {
	t.Parallel()
	order := session("S", assistant("Welcome"), user("Hi"), assistant("Hello"), user("Where is it?"),
		calling("c1", "get_order", nil), result("c1", "get_order", "shipped"), assistant("On its way"),
		user("Thanks"), assistant("Bye"))
	duplicate := session("S", user("more"), assistant("one"), user("stop"), assistant("stopped"), user("more"), assistant("two"))
	broken := session("S", user("Hi"), assistant("Hello"), user("And?"))
	broken.Error = "turn 2: status 500"
	const other = "provider r: in the recording the user says something else in turn "
	const unknown = "error: provider r: the recording does not have this user message of turn %d, and match: content asks " +
		"for replies to the same words; match: turn answers by order"
	for _, c := range []struct {
		name  string
		match string
		from  *recording.Session
		users []string
		want  []string
	}{
		{"by turn", "turn", order, []string{"Hi", "Where is it?", "Thanks"},
			[]string{"Hello", "get_order()", "On its way", "Bye"}},
		{"other words", "turn", order, []string{"Hi", "Refund!"},
			[]string{"Hello", "get_order() [" + other + "2]", "On its way [" + other + "2]"}},
		{"exhausted", "turn", order, []string{"Hi", "Where is it?", "Thanks", "One more"},
			[]string{"Hello", "get_order()", "On its way", "Bye",
				"error: provider r: the recording has no turn 4: it has 3 messages of the user that were answered (talk.json, session S)"}},
		{"broken off", "turn", broken, []string{"Hi", "And?"}, []string{"Hello",
			"error: provider r: the recording has no turn 2: it has 1 message of the user that were answered (talk.json, session S); " +
				"it broke off: turn 2: status 500"}},
		{"by content, in another order", "content", order, []string{"Thanks", "Where is it?", "Hi"},
			[]string{"Bye", "get_order()", "On its way", "Hello"}},
		{"the same words again", "content", duplicate, []string{"more", "more", "stop"}, []string{"one", "two", "stopped"}},
		{"words that were never said", "content", duplicate, []string{"more", "huh?"},
			[]string{"one", fmt.Sprintf(unknown, 2)}},
		{"words said too often", "content", duplicate, []string{"stop", "more", "stop"},
			[]string{"stopped", "one", fmt.Sprintf(unknown, 3)}},
		{"a call without an end", "turn", session("S", user("Hi"), calling("c", "look", nil), user("So?"), assistant("Sorry")),
			[]string{"Hi", "So?"}, []string{"look()",
				"error: provider r: the recording has 1 reply in turn 1 and was asked for one more (talk.json, session S)"}},
		{"two messages at once", "turn", session("S", user("Hi"), assistant("Wait."), assistant("Here."), user("Ok"), assistant("Bye")),
			[]string{"Hi", "Ok"}, []string{
				"Wait. [provider r: the recorded turn 1 has 1 more of the assistant's messages, which nobody asked for]", "Bye"}},
		{"nobody answered", "turn", session("S", user("Hi"), user("Hello?"), assistant("Yes")), []string{"Hello?"},
			[]string{"Yes"}},
		{"nothing", "turn", session("S"), []string{"Hi"}, []string{
			"error: provider r: the recording has no turn 1: it has 0 messages of the user that were answered (talk.json, session S)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := talk(opened(t, scenario.Replay{Match: c.match}, c.from), chat.Origin{Scenario: "x"}, c.users...)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("replies (-want +got):\n%s", diff)
			}
		})
	}
}

func TestChoice(t *testing.T) {
	t.Parallel()
	of := func(id, scenario, provider string) *recording.Session {
		s := session(id, user("Hi"), assistant("I am "+id))
		s.Scenario, s.Provider = scenario, provider
		return s
	}
	run := []*recording.Session{
		of("a/p", "a", "p"), of("b/p#1", "b", "p"), of("b/p#2", "b", "p"), of("c/p", "c", "p"), of("c/q", "c", "q"),
	}
	for _, c := range []struct {
		name     string
		session  string
		sessions []*recording.Session
		at       chat.Origin
		want     string
	}{
		{"by id", "c/q", run, chat.Origin{Scenario: "a"}, "I am c/q"},
		{"by scenario", "", run, chat.Origin{Scenario: "a", Trial: 1}, "I am a/p"},
		{"one conversation for several trials", "", run, chat.Origin{Scenario: "a", Trial: 7}, `error: provider r: scenario "a" ` +
			`has 1 conversation in the recording, "a/p", and this is trial 7; record as many trials as are replayed`},
		{"one session for several trials", "c/q", run, chat.Origin{Scenario: "a", Trial: 2}, `error: provider r: ` +
			`additional_config.session names one conversation, and this is trial 2 of scenario "a"; take session out, or run one trial`},
		{"by the other name", "", run, chat.Origin{Scenario: "zzz", ScenarioAlias: "a"}, "I am a/p"},
		{"by trial", "", run, chat.Origin{Scenario: "b", Trial: 2}, "I am b/p#2"},
		{"more trials than recorded", "", run, chat.Origin{Scenario: "b", Trial: 3},
			`error: provider r: scenario "b" has 2 conversations in the recording, "b/p#1", "b/p#2", and this is trial 3; ` +
				`record as many trials as are replayed`},
		{"several providers", "", run, chat.Origin{Scenario: "c", Trial: 1},
			`error: provider r: scenario "c" was recorded 2 times, as "c/p", "c/q"; set additional_config.session to one of them`},
		{"another scenario", "", run, chat.Origin{Scenario: "z"},
			`error: provider r: none of the 5 recorded conversations is of scenario "z"; ` +
				`there is "a/p", "b/p#1", "b/p#2", "c/p", "c/q"; set additional_config.session`},
		{"the only one, of no scenario", "", []*recording.Session{of("S", "", "")}, chat.Origin{Scenario: "z", Trial: 1}, "I am S"},
		{"the same for a second trial", "", []*recording.Session{of("S", "", "")}, chat.Origin{Scenario: "z", Trial: 2}, `error: provider r: ` +
			`scenario "z" has 1 conversation in the recording, "S", and this is trial 2; record as many trials as are replayed`},
		{"the only one, of another scenario", "", run[:1], chat.Origin{Scenario: "z"}, `error: provider r: the recorded conversation, ` +
			`"a/p", is of scenario "a" and not of "z"; set additional_config.session to answer with it all the same`},
		{"the same, named", "a/p", run[:1], chat.Origin{Scenario: "z"}, "I am a/p"},
		{"none", "", nil, chat.Origin{Scenario: "z"}, "error: provider r: the recording holds no conversation"},
		{"a judge", "", run, chat.Origin{Scenario: "a", Judge: "strict"},
			"error: provider r: a recording cannot judge; give the judge a model"},
		{"a persona", "", run, chat.Origin{Scenario: "a", Persona: "angry"}, "Hi"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := talk(opened(t, scenario.Replay{Session: c.session}, c.sessions...), c.at, "Hi")
			if diff := cmp.Diff([]string{c.want}, got); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnknownSession(t *testing.T) {
	t.Parallel()
	at := diag.Pos{File: "p.yaml", Line: 3, Col: 4}
	sessions := []Source{shelfOf{session("refund", user("Hi")), session("twin"), session("twin")}}
	for name, want := range map[string]string{
		"refnud": `there is no session "refnud" in talk.json; did you mean "refund"?`,
		"zzz":    `there is no session "zzz" in talk.json; there is "refund", "twin", "twin"`,
		"twin":   `the recordings hold the session "twin" 2 times; name only the recording that is meant`,
	} {
		settings := &scenario.Replay{Session: name, SessionPos: at, Recordings: []string{"talk.json"}}
		_, err := New(Config{Settings: settings, Sources: sessions})
		bad, ok := errors.AsType[*providers.Misconfigured](err)
		if !ok || bad.Error() != want || bad.Pos != at {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
}

func TestUnreadableSession(t *testing.T) {
	t.Parallel()
	bad := session("S")
	bad.Error = "unreadable"
	_, err := opened(t, scenario.Replay{}, bad).Complete(t.Context(), &chat.Request{}, nil)
	failed, ok := errors.AsType[*providers.Error](err)
	if !ok || failed.Temporary() || !strings.Contains(err.Error(), "line 7: cut") {
		t.Errorf("got %v", err)
	}
}

func TestTools(t *testing.T) {
	t.Parallel()
	m := calling("c1", "get_order", map[string]any{"id": "A1"})
	m.ToolCalls = append(m.ToolCalls, chat.ToolCall{ID: "c2", Name: "refund", BadArgs: "{"})
	from := session("S", user("Hi"), m, result("c1", "get_order", "shipped"), assistant("Done"))
	missing := chat.ToolResult{ID: "c2", Name: "refund", Content: "the recording has no result for this call of refund",
		Error: "the recording has no result for this call of refund", ErrorType: chat.ErrorExecution}
	came := chat.ToolResult{ID: "c1", Name: "get_order", Content: "shipped"}
	for mode, want := range map[string][]chat.ToolResult{
		"": {came}, "recorded": {came, missing}, "execute": nil,
	} {
		req := &chat.Request{Messages: []chat.Message{{Role: chat.User, Content: "Hi"}}}
		p := opened(t, scenario.Replay{Tools: mode}, from)
		got, err := p.Complete(t.Context(), req, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.ToolResults); diff != "" {
			t.Errorf("tools %q (-want +got):\n%s", mode, diff)
		}
		if diff := cmp.Diff(m.ToolCalls, got.ToolCalls); diff != "" || got.FinishReason != "tool_calls" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		got.ToolCalls[0].Args["id"] = "changed"
		if again, _ := p.Complete(t.Context(), req, nil); again.ToolCalls[0].Args["id"] != "A1" {
			t.Error("a caller changed the recording")
		}
	}
}

// TestGuarded sees that the model's words are replayed, and not what a guardrail made of them.
func TestGuarded(t *testing.T) {
	t.Parallel()
	m := assistant("I cannot say that.")
	m.Original = &chat.Original{Content: "The password is 1234.", FinishReason: "length"}
	req := &chat.Request{Messages: []chat.Message{{Role: chat.User, Content: "Hi"}}}
	got, err := opened(t, scenario.Replay{}, session("S", user("Hi"), m)).Complete(t.Context(), req, nil)
	if err != nil || got.Content != "The password is 1234." || got.FinishReason != "length" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAccounting(t *testing.T) {
	t.Parallel()
	usage := chat.Usage{InputTokens: 100, OutputTokens: 50, CachedTokens: 7}
	pricing := &scenario.Pricing{InputPer1K: 1, OutputPer1K: 2}
	estimate := chat.Usage{InputTokens: 10, OutputTokens: 2, Estimated: true}
	for _, c := range []struct {
		name    string
		usage   *chat.Usage
		usd     *float64
		pricing *scenario.Pricing
		want    chat.Usage
		cost    *float64
	}{
		{"recorded", &usage, new(0.5), pricing, usage, new(0.5)},
		{"tokens alone", &usage, nil, nil, usage, nil},
		{"tokens and prices", &usage, nil, pricing, usage, new(0.2)},
		{"a cost alone", nil, new(0.5), nil, estimate, new(0.5)},
		{"nothing, and prices", nil, nil, pricing, estimate, new(0.014)},
		{"nothing", nil, nil, nil, estimate, nil},
	} {
		m := assistant("ten bytes!")
		m.Usage, m.CostUSD, m.LatencyMS = c.usage, c.usd, 1500
		from := session("S", user("Hi"), m)
		from.Model = "gpt-then"
		p, err := New(Config{Settings: &scenario.Replay{Match: "turn"}, Pricing: c.pricing, Sources: []Source{shelfOf{from}}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Complete(t.Context(), &chat.Request{Messages: []chat.Message{{Role: chat.User, Content: "Hi"}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.cost, got.CostUSD); diff != "" || got.Usage != c.want {
			t.Errorf("%s: usage %+v, cost (-want +got):\n%s", c.name, got.Usage, diff)
		}
		if got.LatencyMS != 1500 || got.Model != "gpt-then" {
			t.Errorf("%s: latency %v, model %s", c.name, got.LatencyMS, got.Model)
		}
	}
}

func TestTiming(t *testing.T) {
	t.Parallel()
	at := func(m recording.Message, offset time.Duration) recording.Message {
		m.Offset = offset
		return m
	}
	from := session("S", at(user("Hi"), time.Second), at(assistant("Hello"), 5*time.Second))
	for timing, want := range map[string]time.Duration{
		"instant": 0, "realtime": 4 * time.Second, "accelerated": time.Second,
	} {
		t.Run(timing, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := opened(t, scenario.Replay{Timing: timing, Speed: 4}, from)
				began := time.Now()
				r, err := p.Complete(t.Context(), &chat.Request{Messages: []chat.Message{{Role: chat.User, Content: "Hi"}}}, nil)
				if took := time.Since(began); err != nil || took != want || r.LatencyMS != 4000 {
					t.Errorf("took %v and reported %v ms, %v; want %v", took, r.LatencyMS, err, want)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		p := opened(t, scenario.Replay{Timing: "realtime"}, from)
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("over"))
		defer cancel()
		_, err := p.Complete(ctx, &chat.Request{Messages: []chat.Message{{Role: chat.User, Content: "Hi"}}}, nil)
		if err == nil || err.Error() != "over" {
			t.Errorf("got %v, want the cause of the context", err)
		}
	})
}

func TestStream(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("äöü ", 20)
	m := assistant(text)
	m.CostUSD = new(1.0)
	p := opened(t, scenario.Replay{}, session("S", user("Hi"), m))
	req := &chat.Request{Stream: true, Messages: []chat.Message{{Role: chat.User, Content: "Hi"}}}
	var pieces []string
	r, err := p.Complete(t.Context(), req, func(d chat.Delta) error {
		pieces = append(pieces, d.Text)
		return nil
	})
	if err != nil || r.Content != text || strings.Join(pieces, "") != text || len(pieces) != 4 {
		t.Errorf("got %d pieces, %+v, %v", len(pieces), r, err)
	}
	r, err = p.Complete(t.Context(), req, func(chat.Delta) error { return providers.ErrEnough })
	if err != nil || r.Content != pieces[0] || r.FinishReason != "" || r.CostUSD != nil || !r.Usage.Estimated {
		t.Errorf("closed: %+v, %v", r, err)
	}
}

// TestManyAtOnce plays more conversations than memory keeps, at once.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	var sessions []*recording.Session
	for i := range maxLoaded + 10 {
		s := session(fmt.Sprint(i), user("Hi"), assistant(fmt.Sprintf("a%d", i)), user("Hi"), assistant(fmt.Sprintf("b%d", i)))
		s.Scenario = fmt.Sprint(i)
		sessions = append(sessions, s)
	}
	p := opened(t, scenario.Replay{}, sessions...)
	var all sync.WaitGroup
	for i := range sessions {
		all.Go(func() {
			got := talk(p, chat.Origin{Scenario: fmt.Sprint(i)}, "Hi", "Hi")
			if diff := cmp.Diff([]string{fmt.Sprintf("a%d", i), fmt.Sprintf("b%d", i)}, got); diff != "" {
				t.Errorf("session %d (-want +got):\n%s", i, diff)
			}
		})
	}
	all.Wait()
	if len(p.archive.loaded) > maxLoaded {
		t.Errorf("%d conversations are kept", len(p.archive.loaded))
	}
}

// TestAnotherPrompt: there is a doubt if the recorded system prompt differs.
func TestAnotherPrompt(t *testing.T) {
	t.Parallel()
	prompt := func(text string) recording.Message {
		return recording.Message{Message: chat.Message{Role: chat.System, Content: text}}
	}
	const notice = "provider r: in the recording the system prompt is another one"
	for _, c := range []struct{ then, now, want string }{
		{"Be kind.", "Be kind.\n", ""},
		{"Be kind.", "Be rude.", notice},
		{"Be kind.", "", notice},
		{"", "Be kind.", ""},
		{"Your key is [REDACTED].", "Your key is 1.", ""},
	} {
		messages := []recording.Message{user("Hi"), assistant("Hello"), user("And?"), assistant("Bye")}
		if c.then != "" {
			messages = append([]recording.Message{prompt(c.then)}, messages...)
		}
		p := opened(t, scenario.Replay{}, session("S", messages...))
		req := &chat.Request{Messages: []chat.Message{{Role: chat.System, Content: c.now}, {Role: chat.User, Content: "Hi"}}}
		got, err := p.Complete(t.Context(), req, nil)
		if err != nil || got.Notice != c.want {
			t.Errorf("%+v: got %q, %v", c, got.Notice, err)
		}
		req.Messages = append(req.Messages, chat.Message{Role: chat.Assistant, Content: "Hello"}, chat.Message{Role: chat.User, Content: "And?"})
		if got, err = p.Complete(t.Context(), req, nil); err != nil || got.Notice != "" {
			t.Errorf("%+v: told twice: %q, %v", c, got.Notice, err)
		}
	}
}
