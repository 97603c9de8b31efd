package claims_test

import (
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/claims"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

func TestEchoes(t *testing.T) {
	t.Parallel()
	const long = "Where is my order 1234?"
	talk := func(provider string, words ...string) *result.Trial {
		trial := &result.Trial{Provider: provider, Status: result.Passed}
		for i := 0; i < len(words); i += 2 {
			trial.Turns = append(trial.Turns, result.Turn{
				User: words[i], Messages: []chat.Message{{Role: chat.Assistant, Content: words[i+1]}},
			})
		}
		return trial
	}
	guarded := talk("shop", long, "[removed]")
	guarded.Turns[0].Messages[0].Original = &chat.Original{Content: long}
	calls := talk("shop", long, "")
	calls.Turns[0].Messages[0].ToolCalls = []chat.ToolCall{{Name: "find"}}
	const echoes = "refund.yaml:4:3 only-echoes: the agent shop says back what the user said"
	for _, c := range []struct {
		name   string
		trials []*result.Trial
		want   string
	}{
		{"one long echo", []*result.Trial{talk("shop", long, "Where is  my order 1234?\n")}, echoes},
		{"short echoes", []*result.Trial{talk("shop", "Hello", "Hello", "Refund!", "Refund!")}, echoes},
		{"behind a guardrail", []*result.Trial{guarded}, echoes},
		{"a greeting", []*result.Trial{talk("shop", "Hello", "Hello")}, ""},
		{"a text that needs no change", []*result.Trial{talk("shop", long, long), talk("shop", long, "Where?")}, ""},
		{"another word", []*result.Trial{talk("shop", long, long+" Where?")}, ""},
		{"a tool is called first", []*result.Trial{calls, talk("shop", long, long)}, ""},
		{"a model", []*result.Trial{talk("gpt", long, long)}, ""},
		{"no trial", nil, ""},
	} {
		got := unmet(func(tr *claims.Tracker) {
			specs := []*scenario.Provider{
				{Meta: scenario.Meta{ID: "shop", Pos: at(4)}, Type: scenario.HTTPType},
				{Meta: scenario.Meta{ID: "gpt", Pos: at(5)}, Type: "openai"},
			}
			tr.ExpectWords(specs)
			tr.ExpectWords(specs)
		}, nil, c.trials...)
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			told(t, got, c.want)
		})
	}
}
