package runner

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

// diary is a source of tools that notes what happens to it.
type diary struct {
	mu    sync.Mutex
	lines []string
	fails error
}

func (d *diary) note(line string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, line)
}

func (d *diary) said() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.lines, ", ")
}

func (d *diary) List(context.Context) ([]chat.Tool, error) {
	d.note("list")
	return []chat.Tool{{Name: "srv__look", Schema: []byte(`{"type":"object"}`)}}, d.fails
}

func (d *diary) Call(_ context.Context, call chat.ToolCall) chat.ToolResult {
	d.note("call " + tools.Canonical(call.Args))
	return chat.ToolResult{Content: "seen", Parts: []chat.Part{
		{Type: "text", Text: "seen"}, {Type: "image", Media: &chat.Media{MIMEType: "image/png", Data: "aGk="}},
	}}
}

func (d *diary) Close() error {
	d.note("close")
	return nil
}

// withSource is a plan of trials, each a turn, in which the model looks once, and a check of the conversation as well.
func withSource(t *testing.T, n int, d *diary, scope tools.Scope, allowed ...string) *Plan {
	t.Helper()
	client := answer(func(_ context.Context, req *chat.Request) (chat.Reply, error) {
		if len(req.Tools) == 0 || req.Origin.Reply > 0 {
			return chat.Reply{Content: "done", FinishReason: "stop"}, nil
		}
		return chat.Reply{ToolCalls: []chat.ToolCall{{ID: "1", Name: req.Tools[0].Name, Args: map[string]any{"by": "model"}}}}, nil
	})
	plan := planOf(t, n, client)
	registry, err := tools.New(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &project{Project: &scenario.Project{}, tools: tools.NewKit(registry, &tools.Opener{
		Name: "the diary", Scope: scope, Open: func() tools.Source { return d },
		Needed: func(allowed []string) bool { return len(allowed) > 0 },
	})}
	for i := range plan.spans {
		plan.spans[i].Project, plan.spans[i].Prompt = p, &scenario.Prompt{AllowedTools: allowed}
		if len(allowed) > 0 {
			plan.spans[i].Scenario.Conversation = []scenario.Placed{
				placed(t, "tool_exec", `{"tool": "srv__look", "args": {"by": "check"}, "success_pattern": "seen"}`),
			}
		}
	}
	return plan
}

// TestSourceOfATrial: what a trial needs is opened for it, is the same for its model and its checks, and ends after the
// last check, before the trial is told of; what trials share ends with the run. What nobody needs is not opened.
func TestSourceOfATrial(t *testing.T) {
	t.Parallel()
	once := "list, call {\"by\":\"model\"}, call {\"by\":\"check\"}, "
	for _, c := range []struct {
		name    string
		scope   tools.Scope
		allowed []string
		want    string
	}{
		{"a trial", tools.PerSession, []string{"srv__*"}, once + "close, " + once + "close"},
		{"a scenario", tools.PerScenario, []string{"srv__*"}, once + "close, " + once + "close"},
		{"a run", tools.PerRun, []string{"srv__look"}, once + once + "close"},
		{"nobody", tools.PerSession, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := &diary{}
			journal, err := result.NewJournal(&nowhere{}, result.JournalHeader{})
			if err != nil {
				t.Fatal(err)
			}
			told := 0
			watch := &watcher{each: func(trial *result.Trial) error {
				if trial.Status != result.Passed {
					t.Errorf("%s: %s %+v", trial.Status, trial.Error, trial.Conversation)
				}
				told++
				if closed := strings.Count(d.said(), "close"); c.scope != tools.PerRun && len(c.allowed) > 0 && closed < told {
					t.Errorf("%d trials are told of, %d have ended their tools", told, closed)
				}
				return nil
			}}
			plan := withSource(t, 2, d, c.scope, c.allowed...)
			if err := Run(t.Context(), plan, options(1), journal, watch); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, d.said()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestSourceThatFails: a trial whose tools cannot be listed is an error that says so, and its checks do not run.
func TestSourceThatFails(t *testing.T) {
	t.Parallel()
	d := &diary{fails: context.DeadlineExceeded}
	trial := trialOf(t.Context(), withSource(t, 1, d, tools.PerSession, "srv__*"), options(1))
	if trial.Status != result.Errored || trial.Error != "turn 1: the diary: context deadline exceeded" {
		t.Errorf("%s %s", trial.Status, trial.Error)
	}
	if got := d.said(); got != "list, close" {
		t.Error(got)
	}
}
