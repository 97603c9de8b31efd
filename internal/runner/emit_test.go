package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/judges"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// listener is a sink that writes a line for each event: milliseconds since the run's start, the turn, the kind, and the
// main field.
type listener struct {
	start  time.Time
	lines  []string
	events []result.Event
}

func (l *listener) Handle(e result.Event) error {
	at := e.Place()
	turn := "-"
	if at.Turn != result.NoTurn {
		turn = fmt.Sprint(at.Turn)
	}
	l.lines = append(l.lines, strings.TrimRight(
		fmt.Sprintf("%d %s %s %s", at.Time.Sub(l.start).Milliseconds(), turn, e.Kind(), eventText(e)), " "))
	l.events = append(l.events, e)
	return nil
}

func eventText(e result.Event) string {
	switch e := e.(type) {
	case result.TurnStarted:
		return e.User
	case result.MessageCreated:
		return fmt.Sprintf("%d %s %s", e.Index, e.Role, strings.Join(strings.Fields(e.Content), " "))
	case result.CallStarted:
		return fmt.Sprintf("%d %s%s", e.Number, e.Call.Provider, e.Judge)
	case result.CallCompleted:
		return fmt.Sprintf("%d %s%s %gms", e.Number, e.Call.Provider, e.Judge, e.LatencyMS)
	case result.CallFailed:
		return fmt.Sprintf("%d %s: %s", e.Number, e.ErrorKind, e.Error)
	case result.ToolStarted:
		return fmt.Sprintf("%d %s %v", e.Number, e.Name, e.ByCheck)
	case result.ToolCompleted:
		return fmt.Sprintf("%d %s %s %v", e.Number, e.Name, e.ErrorType, e.ByCheck)
	case result.ValidationFailed:
		return fmt.Sprintf("%s %s message %d", e.Type, e.Action, e.MessageIndex)
	case result.VerdictGiven:
		return fmt.Sprintf("%d %s %s", e.Index, e.Type, e.Status)
	case result.EvalCompleted:
		return fmt.Sprintf("%s passed=%v", e.ID, e.Passed)
	case result.EvalFailed:
		return e.ID + ": " + e.Error
	case result.TurnCompleted:
		return fmt.Sprintf("%gms %s", e.LatencyMS, e.Error)
	case result.TrialDone:
		return e.Trial.Status.String()
	}
	return ""
}

// listen runs a plan and returns its events.
func listen(t *testing.T, ctx context.Context, plan *Plan, jobs int) *listener {
	t.Helper()
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	opts := options(jobs)
	opts.Events, opts.Started, opts.Now = true, start, func() time.Time { return start.Add(time.Hour) }
	journal, _ := journalFor(t)
	l := &listener{start: start}
	if err := Run(ctx, plan, opts, journal, l); err != nil {
		t.Fatal(err)
	}
	return l
}

// eventful is a plan in which every kind of event occurs.
func eventful(t *testing.T) *Plan {
	t.Helper()
	client := answer(func(_ context.Context, req *chat.Request) (chat.Reply, error) {
		r := chat.Reply{Content: "damn fine", FinishReason: "stop", LatencyMS: 250}
		if req.Origin.Turn == 0 && req.Origin.Reply == 0 {
			r.Content, r.ToolCalls = "", []chat.ToolCall{
				{ID: "1", Name: "run_tests", Args: map[string]any{"n": json.Number("3")}},
				{ID: "2", Name: "nothing", BadArgs: "n=3"},
			}
		}
		return r, nil
	})
	graded := func(name string) scenario.Placed {
		return placed(t, "llm_judge", `{"criteria": "`+name+`", "votes": 3}`)
	}
	plan := guarded(t, client, noDamn,
		scenario.Turn{Role: "user", Content: "a", Assertions: []scenario.Placed{
			assertion("sees", 0, scores(1)), placed(t, "tool_exec", `{"tool": "run_tests"}`),
		}},
		scenario.Turn{Role: "user", Content: "b", Assertions: []scenario.Placed{graded("is kind"), graded("is short")}})
	trial := &plan.spans[0].Trial
	p := withTools(t)
	p.Globals = []scenario.Placed{assertion("last", 0, scores(0.5))}
	st := *trial.Project.stance(trial.Prompt)
	st.evals = evals.New([]*scenario.Eval{
		custom("measures", "every_turn", 0, scores(0.5)), custom("breaks", "on_session_complete", 0, breaks),
	})
	st.prompts = p.tools.Offered([]string{"run_tests"})
	p.stances = map[*scenario.Prompt]*stance{trial.Prompt: &st}
	spec := &scenario.Provider{Meta: scenario.Meta{ID: "judge"}}
	seat := judges.Judge{Name: "strict", Endpoint: judges.NewEndpoint(says(`{"score": 1, "reasoning": "so"}`), spec, true)}
	p.judges = judges.New(map[grading.JudgeUse]judges.Judge{{}: seat}, judges.NewMemory(1<<20))
	trial.Project = p
	trial.Prompt.SystemTemplate, trial.Prompt.AllowedTools = "Be good.", []string{"run_tests"}
	return plan
}

// TestAllEvents: events come in order, with simulated times, and are the same in every run.
func TestAllEvents(t *testing.T) {
	t.Parallel()
	want := strings.Split(strings.TrimSpace(`
0 - trial.started
0 - message.created 0 system Be good.
0 0 turn.started a
0 0 message.created 1 user a
0 0 provider.call.started 1 p
250 0 provider.call.completed 1 p 250ms
250 0 message.created 2 assistant
250 0 tool.call.started 2 run_tests false
250 0 tool.call.started 3 nothing false
250 0 tool.call.completed 2 run_tests  false
250 0 message.created 3 tool { "passed": true }
250 0 tool.call.completed 3 nothing execution false
250 0 message.created 4 tool tool not found: nothing
250 0 provider.call.started 4 p
500 0 provider.call.completed 4 p 250ms
500 0 validation.failed banned_words replaced message 5
500 0 message.created 5 assistant Mind your language.
500 0 eval.completed measures passed=false
500 0 tool.call.started 5 run_tests true
500 0 tool.call.completed 5 run_tests  true
500 0 verdict 0 sees passed
500 0 verdict 1 tool_exec passed
500 0 turn.completed 500ms
500 1 turn.started b
500 1 message.created 6 user b
500 1 provider.call.started 6 p
750 1 provider.call.completed 6 p 250ms
750 1 validation.failed banned_words replaced message 7
750 1 message.created 7 assistant Mind your language.
750 1 eval.completed measures passed=false
750 1 provider.call.started 7 judgestrict
750 1 provider.call.completed 7 judgestrict 0ms
750 1 provider.call.started 8 judgestrict
750 1 provider.call.completed 8 judgestrict 0ms
750 1 provider.call.started 9 judgestrict
750 1 provider.call.completed 9 judgestrict 0ms
750 1 provider.call.started 10 judgestrict
750 1 provider.call.completed 10 judgestrict 0ms
750 1 provider.call.started 11 judgestrict
750 1 provider.call.completed 11 judgestrict 0ms
750 1 provider.call.started 12 judgestrict
750 1 provider.call.completed 12 judgestrict 0ms
750 1 verdict 0 llm_judge passed
750 1 verdict 1 llm_judge passed
750 1 turn.completed 250ms
750 - eval.failed breaks: down
750 - verdict 0 last failed
750 - trial.completed failed
`), "\n")
	for range 20 {
		l := listen(t, t.Context(), eventful(t), 1)
		if diff := cmp.Diff(want, l.lines); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
}

// TestEventOfFailedCall: after the failed call come the checks that were not evaluated.
func TestEventOfFailedCall(t *testing.T) {
	t.Parallel()
	client := answer(func(_ context.Context, req *chat.Request) (chat.Reply, error) {
		if req.Origin.Turn == 0 {
			return chat.Reply{Content: "ok"}, nil
		}
		return chat.Reply{}, &providers.Error{Kind: providers.RateLimit, Provider: "p", Status: 429, Msg: "too fast", Attempts: 4}
	})
	checked := []scenario.Placed{assertion("c", 0, scores(1))}
	turn := func(text string) scenario.Turn {
		return scenario.Turn{Role: "user", Content: text, Assertions: checked}
	}
	plan := planOf(t, 1, client, turn("a"), turn("b"), turn("c"))
	plan.spans[0].Scenario.Conversation = checked
	l := listen(t, t.Context(), plan, 1)
	want := []string{
		"0 1 provider.call.failed 2 rate_limit: provider p: too fast (4 attempts)",
		"0 1 verdict 0 c cancelled",
		"0 1 turn.completed 0ms provider p: too fast (4 attempts)",
		"0 2 verdict 0 c cancelled",
		"0 - verdict 0 c cancelled",
		"0 - trial.completed error",
	}
	if diff := cmp.Diff(want, l.lines[len(l.lines)-len(want):]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	failed := l.events[len(l.events)-len(want)].(result.CallFailed)
	if failed.Status != 429 || failed.Attempts != 4 {
		t.Errorf("%+v", failed)
	}
}

// TestEventsOfStoppedRun: interrupted trials say so, and a trial that did not start only ends.
func TestEventsOfStoppedRun(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	client := answer(func(ctx context.Context, _ *chat.Request) (chat.Reply, error) {
		stop(Stop())
		return chat.Reply{}, context.Cause(ctx)
	})
	l := listen(t, ctx, planOf(t, 2, client), 1)
	want := []string{
		"0 - trial.started", "0 0 turn.started hi", "0 0 message.created 0 user hi", "0 0 provider.call.started 1 p",
		"0 0 provider.call.failed 1 cancelled: the run was stopped", "0 0 turn.completed 0ms the run was stopped",
		"0 - trial.completed cancelled", "0 - trial.completed cancelled",
	}
	if diff := cmp.Diff(want, l.lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestEventsOfATrialAreInOrder, also with concurrent trials, and each event has its position.
func TestEventsOfATrialAreInOrder(t *testing.T) {
	t.Parallel()
	const trials = 200
	l := listen(t, t.Context(), planOf(t, trials, says("ok")), 8)
	kinds := map[string][]result.EventKind{}
	for _, e := range l.events {
		at := e.Place()
		kinds[at.Trial] = append(kinds[at.Trial], e.Kind())
		if at.Provider != "p" || at.Trial != at.Scenario+"/p/default" {
			t.Fatalf("%+v", at)
		}
	}
	want := []result.EventKind{
		result.KindTrialStarted, result.KindTurnStarted, result.KindMessageCreated, result.KindCallStarted,
		result.KindCallCompleted, result.KindMessageCreated, result.KindTurnCompleted, result.KindTrialCompleted,
	}
	if len(kinds) != trials {
		t.Errorf("%d trials were told of", len(kinds))
	}
	for id, got := range kinds {
		if !slices.Equal(want, got) {
			t.Errorf("%s: %v", id, got)
		}
	}
}

// TestNoEvents: without Events only starts and ends of trials are sent.
func TestNoEvents(t *testing.T) {
	t.Parallel()
	journal, _ := journalFor(t)
	l := &listener{}
	if err := Run(t.Context(), eventful(t), options(1), journal, l); err != nil {
		t.Fatal(err)
	}
	if len(l.events) != 2 {
		t.Errorf("%v", l.lines)
	}
}

// discard is a sink that ignores its events.
type discard struct{}

func (discard) Handle(result.Event) error { return nil }

// BenchmarkRun measures a trial of one turn without the sync of the disk.
func BenchmarkRun(b *testing.B) {
	for _, told := range []bool{false, true} {
		b.Run(fmt.Sprintf("events=%v", told), func(b *testing.B) {
			plan := planOf(b, b.N, says("hello"), scenario.Turn{
				Role: "user", Content: "hi", Assertions: []scenario.Placed{assertion("c", 0, scores(1))},
			})
			opts := options(2)
			opts.Events = told
			journal, err := result.NewJournal(&nowhere{}, result.JournalHeader{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.ResetTimer()
			if err := Run(b.Context(), plan, opts, journal, discard{}); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// nowhere is a journal file that keeps nothing.
type nowhere struct{}

func (nowhere) Write(b []byte) (int, error)       { return len(b), nil }
func (nowhere) ReadAt([]byte, int64) (int, error) { return 0, nil }
func (nowhere) Sync() error                       { return nil }
