package mock

import (
	"math"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

// rowOf is a row of a dataset by its id.
type rowOf string

func (r rowOf) RowID() string                                             { return string(r) }
func (rowOf) FillText(text string) (string, []string)                     { return text, nil }
func (rowOf) FillCalls(calls []chat.ToolCall) ([]chat.ToolCall, []string) { return calls, nil }

// TestDraws: replies are drawn as often as they say, the same for the same call, and apart for each trial, row, region,
// turn and seed.
func TestDraws(t *testing.T) {
	t.Parallel()
	p := New(Config{ID: "p", Inline: func(string, int) []scenario.MockReply {
		return []scenario.MockReply{{OneOf: []scenario.MockChoice{
			{Chance: 0.7, MockReply: scenario.MockReply{Content: "a"}},
			{Chance: 0.2, MockReply: scenario.MockReply{Content: "b"}},
			{Chance: 0.1, MockReply: scenario.MockReply{Content: "c"}},
		}}}
	}})
	replyTo := func(req *chat.Request) string {
		reply, err := p.Complete(t.Context(), req, nil)
		if err != nil {
			t.Fatal(err)
		}
		return reply.Content
	}
	const n = 10_000
	seed := int64(1)
	base := func(i int) *chat.Request {
		return &chat.Request{Origin: chat.Origin{Scenario: "s", Trial: i}}
	}
	places := map[string]func(*chat.Request){
		"same":     func(*chat.Request) {},
		"region":   func(r *chat.Request) { r.Origin.Region = "eu" },
		"row":      func(r *chat.Request) { r.Origin.Row = rowOf("7") },
		"turn":     func(r *chat.Request) { r.Origin.Turn = 1 },
		"seed":     func(r *chat.Request) { r.Seed = &seed },
		"scenario": func(r *chat.Request) { r.Origin.Scenario = "t" },
	}
	for name, change := range places {
		counts, alike := map[string]int{}, 0
		for i := range n {
			req := base(i + 1)
			change(req)
			text := replyTo(req)
			counts[text]++
			if text == replyTo(base(i+1)) {
				alike++
			}
		}
		for text, chance := range map[string]float64{"a": 0.7, "b": 0.2, "c": 0.1} {
			if off := math.Abs(float64(counts[text])/n - chance); off > 0.02 {
				t.Errorf("%s: %q came %d times of %d, want %g", name, text, counts[text], n, chance)
			}
		}
		want := 0.49 + 0.04 + 0.01 // of two draws that know nothing of each other
		if name == "same" {
			want = 1
		}
		if got := float64(alike) / n; math.Abs(got-want) > 0.02 {
			t.Errorf("%s: %g of the draws are those of the first place, want %g", name, got, want)
		}
	}
}

// TestDrawsStay: a simulated agent says the same in every version of arena, so that a run can be repeated and a baseline
// stays one.
func TestDrawsStay(t *testing.T) {
	t.Parallel()
	seed := int64(5)
	p := New(Config{ID: "agent"})
	for trial, want := range []float64{0.045991, 0.730856, 0.922749} {
		req := &chat.Request{Seed: &seed, Origin: chat.Origin{Scenario: "refund", Region: "default", Trial: trial + 1}}
		if got := p.drawn(req); math.Abs(got-want) > 1e-6 {
			t.Errorf("trial %d draws %.6f, want %.6f", trial+1, got, want)
		}
	}
}
