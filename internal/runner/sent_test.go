package runner

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

// windowed is a plan of one trial with a context policy.
func windowed(t testing.TB, policy scenario.ContextPolicy, client answer, turns ...scenario.Turn) *Plan {
	t.Helper()
	plan := planOf(t, 1, client, turns...)
	plan.spans[0].Scenario.Window = &policy
	return plan
}

// TestWindowKeepsTheQuestion: whatever the budget, a model is sent the question that it is to answer, and the results of
// tools behind their calls; the record has everything.
func TestWindowKeepsTheQuestion(t *testing.T) {
	t.Parallel()
	const turns = 6
	var script []scenario.Turn
	for i := range turns {
		script = append(script, scenario.Turn{Role: "user", Content: fmt.Sprintf("question %d: %s", i, strings.Repeat("word ", i*7%11))})
	}
	for budget := 5; budget < 300; budget += 5 {
		asked := 0
		client := func(_ context.Context, req *chat.Request) (chat.Reply, error) {
			question := fmt.Sprintf("question %d", req.Origin.Turn)
			if first := &req.Messages[0]; first.Role != chat.User {
				t.Errorf("budget %d: the first message is of the %s", budget, first.Role)
			}
			held := false
			for i := range req.Messages {
				m := &req.Messages[i]
				held = held || strings.HasPrefix(m.Content, question)
				if m.Role == chat.ToolRole && (i == 0 || len(req.Messages[i-1].ToolCalls) == 0) {
					t.Errorf("budget %d: a result without its call", budget)
				}
			}
			if !held {
				t.Errorf("budget %d: %q was not sent", budget, question)
			}
			asked++
			if req.Origin.Reply == 0 && req.Origin.Turn%2 == 0 {
				return chat.Reply{ToolCalls: []chat.ToolCall{{ID: fmt.Sprint(asked), Name: "look"}}, FinishReason: "tool_calls"}, nil
			}
			return chat.Reply{Content: "Yes.", FinishReason: "stop"}, nil
		}
		plan := windowed(t, scenario.ContextPolicy{Budget: budget, Strategy: scenario.LeaveOldest}, client, script...)
		got := trialOf(t.Context(), plan, options(1))
		if got.Error == "" {
			said := 0
			for i := range got.Turns {
				said += len(got.Turns[i].Messages)
			}
			if want := turns*2 + turns/2*2; said != want {
				t.Errorf("budget %d: the record has %d messages, not %d", budget, said, want)
			}
		} else if !strings.Contains(got.Error, "context_policy: the newest message of the user has about") {
			t.Errorf("budget %d: %s", budget, got.Error)
		}
	}
}

// TestWindowIsShared: where everything is sent, a request shares the messages with the transcript.
func TestWindowIsShared(t *testing.T) {
	t.Parallel()
	s := longSession(t, 10, 1_000_000)
	var req chat.Request
	if err := s.fill(t.Context(), &req); err != nil || &req.Messages[0] != &s.messages[0] || len(req.Messages) != len(s.messages) {
		t.Errorf("%d of %d messages, %v", len(req.Messages), len(s.messages), err)
	}
	if s.window.leftOut != nil {
		t.Errorf("left out: %+v", s.window.leftOut)
	}
}

// longSession is a session with so many messages behind the system prompt.
func longSession(t testing.TB, n, budget int) *session {
	t.Helper()
	plan := windowed(t, scenario.ContextPolicy{Budget: budget, Strategy: scenario.LeaveOldest}, says("Yes."))
	opts := options(1)
	s := newSession(plan.Trial(0), &opts, nil)
	s.messages = append(s.messages, chat.Message{Role: chat.System, Content: "Be brief."})
	for i := range n {
		role := chat.User
		if i%2 == 1 {
			role = chat.Assistant
		}
		s.messages = append(s.messages, chat.Message{Role: role, Content: strings.Repeat("word ", 30)})
	}
	if s.messages[n].Role == chat.Assistant {
		s.messages = append(s.messages, chat.Message{Role: chat.User, Content: "What was that?"})
	}
	return s
}

// TestWindowGrows: a request does not see what came to the conversation after it.
func TestWindowGrows(t *testing.T) {
	t.Parallel()
	s := longSession(t, 40, 600)
	var last chat.Request
	for i := range 30 {
		var req chat.Request
		if err := s.fill(t.Context(), &req); err != nil {
			t.Fatal(err)
		}
		n := len(req.Messages)
		if req.Messages[0].Role != chat.System || req.Messages[1].Role != chat.User || s.window.leftOut == nil ||
			req.Messages[n-1].Content != s.messages[len(s.messages)-1].Content {
			t.Fatalf("call %d: %d messages, left out %+v", i, n, s.window.leftOut)
		}
		if k := len(last.Messages); k > 0 && last.Messages[k-1].Content != s.messages[len(s.messages)-2].Content {
			t.Fatalf("call %d: the request before it has changed", i)
		}
		role := chat.Assistant
		if i%4 == 3 {
			role = chat.User
		}
		s.messages = append(s.messages, chat.Message{Role: role, Content: fmt.Sprintf("message %d", i)})
		last = req
	}
}

// BenchmarkWindow cuts a conversation of 1,000 messages for one call. Texts are shared. Of the messages that are sent,
// the headers are copied where something is left out: in the first call of a turn all of them, in its later rounds those
// that came since.
func BenchmarkWindow(b *testing.B) {
	for name, budget := range map[string]int{"all": 1_000_000, "half": 21_000, "tenth": 4_200} {
		for round, first := range map[string]bool{"first": true, "later": false} {
			b.Run(name+"/"+round, func(b *testing.B) {
				s := longSession(b, 1000, budget)
				b.ReportAllocs()
				for b.Loop() {
					var req chat.Request
					if first {
						s.window.view = view{}
					}
					if err := s.fill(b.Context(), &req); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestSummaryKeepsTheQuestion: whatever the budget, a model is sent the question that it is to answer, results of tools
// behind their calls, and for all that is not sent one summary; or the trial is an error.
func TestSummaryKeepsTheQuestion(t *testing.T) {
	t.Parallel()
	const turns = 6
	var script []scenario.Turn
	for i := range turns {
		script = append(script, scenario.Turn{Role: "user", Content: fmt.Sprintf("question %d: %s", i, strings.Repeat("word ", i*7%11))})
	}
	passed := 0
	for budget := 20; budget < 200; budget += 5 {
		summaries, asked := 0, 0
		short := answer(func(_ context.Context, req *chat.Request) (chat.Reply, error) {
			if summaries++; req.Origin.Summary != summaries || len(req.Messages) != 2 {
				t.Errorf("budget %d: summary %d is asked for as %d, with %d messages", budget, summaries, req.Origin.Summary,
					len(req.Messages))
			}
			return chat.Reply{Content: "So.", FinishReason: "stop"}, nil
		})
		client := func(_ context.Context, req *chat.Request) (chat.Reply, error) {
			question := fmt.Sprintf("question %d", req.Origin.Turn)
			held, stood := false, 0
			for i := range req.Messages {
				m := &req.Messages[i]
				held = held || strings.HasPrefix(m.Content, question)
				if strings.HasPrefix(m.Content, "[Summary of ") {
					if stood++; i != 0 {
						t.Errorf("budget %d: the summary is message %d", budget, i)
					}
				}
				if m.Role == chat.ToolRole && (i == 0 || len(req.Messages[i-1].ToolCalls) == 0) {
					t.Errorf("budget %d: a result without its call", budget)
				}
			}
			if !held || req.Messages[0].Role != chat.User || stood > 1 {
				t.Errorf("budget %d: sent %+v", budget, req.Messages)
			}
			asked++
			if req.Origin.Reply == 0 && req.Origin.Turn%2 == 0 {
				return chat.Reply{ToolCalls: []chat.ToolCall{{ID: fmt.Sprint(asked), Name: "look"}}, FinishReason: "tool_calls"}, nil
			}
			return chat.Reply{Content: "Yes.", FinishReason: "stop"}, nil
		}
		plan := windowed(t, scenario.ContextPolicy{Budget: budget, Strategy: scenario.Summarize}, client, script...)
		plan.spans[0].summarizer = &Endpoint{Spec: &scenario.Provider{Meta: scenario.Meta{ID: "short"}}, Client: short, Simulated: true}
		got := trialOf(t.Context(), plan, options(1))
		switch {
		case got.Error == "":
			passed++
			for i := range got.Turns {
				for _, m := range got.Turns[i].Messages {
					if m.LeftOut != nil && m.LeftOut.Summary == "" {
						t.Errorf("budget %d: turn %d does not say what stood for %d messages", budget, i, m.LeftOut.Messages)
					}
				}
			}
			if c := got.Context; summaries > 0 && (c == nil || c.Calls != summaries) || summaries == 0 && c != nil {
				t.Errorf("budget %d: %d summaries, counted %+v", budget, summaries, c)
			}
		case !strings.Contains(got.Error, "context_policy: "):
			t.Errorf("budget %d: %s", budget, got.Error)
		}
	}
	if passed < 10 {
		t.Errorf("%d of the budgets do", passed)
	}
}
