package runner

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// withOwnTools is a project whose agent has all the tools that arena brings along.
var withOwnTools = map[string]string{
	"config.arena.yaml": `kind: Arena
metadata: {name: shop}
spec:
  prompt_configs: [{file: prompt.yaml}]
  providers: [{file: provider.yaml}]
  scenarios: [{file: talk.yaml}]
  memory: {}
  skills: [{path: skills}]
  workflow:
    version: 1
    entry: desk
    engine: {budget: {max_wall_time_sec: BUDGET}}
    states:
      desk: {prompt_task: help, on_event: {Solved: over}, artifacts: {case: {type: text/plain}}}
      over: {prompt_task: help, terminal: true}
`,
	"prompt.yaml": "task_type: help\nsystem_template: Help. {{workflow_context}} {{artifacts.case}}\n",
	"provider.yaml": "kind: Provider\nmetadata: {name: p}\n" +
		"spec: {type: openai, model: m, base_url: \"http://nobody.test/v1\"}\n",
	"talk.yaml": "kind: Scenario\nmetadata: {name: talk}\nspec:\n  seed_memories: [{content: Likes tea}]\n" +
		"  turns: [{role: user, content: Go on}]\n",
	"skills/brew/SKILL.md": "---\nname: brew\ndescription: How to brew.\n---\nBe patient.\n",
	"skills/brew/note.md":  "Use water.\n",
}

// ownCalls are calls of each of these tools, in the order in which a model makes them; what they answer goes back to
// it.
var ownCalls = []chat.ToolCall{
	{Name: "memory__remember", Args: map[string]any{"content": "Likes milk"}},
	{Name: "memory__remember", Args: map[string]any{"content": "Likes sugar"}},
	{Name: "memory__recall", Args: map[string]any{"query": ""}},
	{Name: "memory__forget", Args: map[string]any{"memory_id": "mem_2"}},
	{Name: "memory__list", Args: map[string]any{}},
	{Name: "skill__activate", Args: map[string]any{"name": "brew"}},
	{Name: "skill__read_resource", Args: map[string]any{"skill_name": "brew", "path": "note.md"}},
	{Name: "skill__deactivate", Args: map[string]any{"name": "brew"}},
	{Name: "workflow__set_artifact", Args: map[string]any{"name": "case", "value": "tea"}},
	{Name: "workflow__transition", Args: map[string]any{"event": "Solved", "context": "tea"}},
}

// TestOwnToolsKnowNoClock: the results of arena's own tools do not depend on when a trial starts or how long it takes.
// Otherwise a recording would not match the next request, and the model would be paid for again.
func TestOwnToolsKnowNoClock(t *testing.T) {
	t.Parallel()
	for name, budget := range map[string]string{"in time": "999999999", "too late": "1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var talks []string
			for _, clock := range []struct {
				began string
				step  time.Duration
			}{{"2026-01-02T03:04:05Z", 2 * time.Second}, {"2031-12-30T23:59:59Z", 70 * time.Minute}} {
				now, err := time.Parse(time.RFC3339, clock.began)
				if err != nil {
					t.Fatal(err)
				}
				talks = append(talks, ownTalk(t, budget, func() time.Time {
					now = now.Add(clock.step)
					return now
				}))
			}
			if diff := cmp.Diff(talks[0], talks[1]); diff != "" {
				t.Errorf("the messages differ:\n%s", diff)
			}
			if refused := strings.Contains(talks[0], "max_wall_time_sec"); refused != (name == "too late") {
				t.Errorf("the transition was refused: %v", refused)
			}
		})
	}
}

// ownTalk returns all that the model is sent in a trial, and what of it the result keeps.
func ownTalk(t *testing.T, budget string, now func() time.Time) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range withOwnTools {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "BUDGET", budget)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	suite, diags := checks.Load(scenario.Options{Config: filepath.Join(dir, "config.arena.yaml")})
	if diags.Errors() > 0 {
		t.Fatal(diags.Sorted()[0])
	}
	said, called := &strings.Builder{}, map[string]bool{}
	client := answer(func(_ context.Context, req *chat.Request) (chat.Reply, error) {
		if err := json.NewEncoder(said).Encode(providers.Canonical(req)); err != nil {
			return chat.Reply{}, err
		}
		if req.Origin.Reply >= len(ownCalls) {
			return chat.Reply{Content: "Done.", FinishReason: "stop"}, nil
		}
		call := ownCalls[req.Origin.Reply]
		call.ID, called[call.Name] = "1", true
		return chat.Reply{ToolCalls: []chat.ToolCall{call}, FinishReason: "tool_calls"}, nil
	})
	plan := Make(suite, PlanOptions{Jobs: 1, Open: func(*scenario.Project, *scenario.Provider) (
		providers.Provider, bool, error,
	) {
		return client, false, nil
	}}, diags)
	if diags.Errors() > 0 {
		t.Fatal(diags.Sorted()[0])
	}
	w := &watcher{}
	journal, _ := journalFor(t)
	opts := options(1)
	opts.Now = now
	if err := Run(t.Context(), plan, opts, journal, w); err != nil {
		t.Fatal(err)
	}
	for _, name := range suite.Projects[0].OwnTools() {
		if !called[name] {
			t.Errorf("no call of %s is tried", name)
		}
	}
	for _, trial := range w.trials {
		if trial.Error != "" {
			t.Error(trial.Error)
		}
		if err := json.NewEncoder(said).Encode([]any{trial.Memory, trial.Workflow}); err != nil {
			t.Fatal(err)
		}
	}
	return said.String()
}
