package show_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

func TestJudged(t *testing.T) {
	t.Parallel()
	vote := func(n int, score float64) result.Judgement {
		return result.Judgement{Judge: "strict", Model: "gpt-4o", Vote: n, Prompt: "p", Score: &score}
	}
	lost := result.Judgement{Judge: "strict", Reply: "no\x1b[2J idea", Error: "there is no JSON object in it"}
	repair := vote(0, 0.5)
	repair.Repair = true
	priced := vote(0, 1)
	priced.Usage, priced.CostUSD = chat.Usage{InputTokens: 1200, OutputTokens: 34}, new(0.0029)
	unpriced := priced
	unpriced.CostUSD, unpriced.Usage.Estimated = nil, true
	another := vote(2, 0.25)
	another.Judge, another.Model = "", ""
	for name, c := range map[string]struct {
		all   []result.Judgement
		error string
		want  []string
	}{
		"none":         {nil, "", nil},
		"one":          {[]result.Judgement{priced}, "", []string{"judge strict (gpt-4o) · 1,234 tokens · $0.0029"}},
		"no price":     {[]result.Judgement{unpriced}, "", []string{"judge strict (gpt-4o) · about 1,234 tokens · cost unknown"}},
		"votes":        {[]result.Judgement{vote(1, 0.4), vote(2, 1)}, "", []string{"votes 0.40 1.00 · strict (gpt-4o) · 2 calls"}},
		"two judges":   {[]result.Judgement{vote(1, 0.4), another}, "", []string{"votes 0.40 0.25 · strict (gpt-4o), unknown · 2 calls"}},
		"a repair":     {[]result.Judgement{lost, repair}, "", []string{"judge strict, strict (gpt-4o) · asked again · 2 calls"}},
		"repairs only": {[]result.Judgement{repair}, "", []string{"judge strict (gpt-4o)"}},
		"a combination": {[]result.Judgement{vote(0, 0.4), vote(0, 1)}, "",
			[]string{"judge strict (gpt-4o)", "judge strict (gpt-4o)"}},
		"votes on two questions": {[]result.Judgement{vote(1, 0.4), vote(2, 1), vote(1, 0.1), vote(2, 0.2)}, "",
			[]string{"votes 0.40 1.00 · strict (gpt-4o) · 2 calls", "votes 0.10 0.20 · strict (gpt-4o) · 2 calls"}},
		"a lost reply": {[]result.Judgement{lost}, "no answer", []string{"judge strict", `replied "no␛[2J idea"`}},
		"told already, escaped": {[]result.Judgement{{Judge: "strict", Reply: "```json\n{\"score\": 8}\n```"}},
			`score is 8: "` + "```" + `json\n{\"score\": 8}\n` + "```" + `"`, []string{"judge strict"}},
		"told already":         {[]result.Judgement{lost}, "no answer: \"no\x1b[2J idea\"", []string{"judge strict"}},
		"told already, quoted": {[]result.Judgement{lost}, `no answer: "no\x1b[2J idea"`, []string{"judge strict"}},
		"many questions": {[]result.Judgement{vote(0, 1), vote(0, 1), vote(0, 1), vote(0, 1), vote(0, 1), vote(0, 1)}, "",
			[]string{"judge strict (gpt-4o)", "judge strict (gpt-4o)", "judge strict (gpt-4o)", "judge strict (gpt-4o)",
				"… and 2 more questions"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := show.Problem{Verdict: &result.Verdict{Error: c.error, Judgements: c.all}}
			if diff := cmp.Diff(c.want, p.JudgeLines()); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

func TestVoteSaid(t *testing.T) {
	t.Parallel()
	v := show.Vote{
		{Vote: 2, Reply: "8 of 10\n", Error: "there is no JSON object in it"},
		{Vote: 2, Repair: true, Score: new(0.8), Reasoning: "kind,\nand right"},
	}
	var got []string
	for i := range v {
		got = append(got, v.RoundName(i)+": "+v.RoundText(i, 100))
	}
	want := []string{
		`vote 2: no score: there is no JSON object in it; replied "8 of 10"`, "again: 0.80  kind, and right",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rounds (-want +got):\n%s", diff)
	}
	for want, v := range map[string]show.Vote{
		"judge: 0.50": {{Score: new(0.5)}}, "judge: no score: no reason was given": {{}},
	} {
		if got := v.RoundName(0) + ": " + v.RoundText(0, 100); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestExpensesKeepAgentsAndJudgesApart(t *testing.T) {
	t.Parallel()
	usage := result.Usage{Usage: chat.Usage{InputTokens: 41_000, OutputTokens: 208}, Calls: 3}
	judges := &result.SideCost{Usage: chat.Usage{InputTokens: 9412}, Calls: 2, CostUSD: new(0.0021)}
	for name, c := range map[string]struct {
		summary result.Summary
		want    []string
	}{
		"nobody": {result.Summary{CostUSD: new(0.0)}, nil},
		"agents": {result.Summary{Usage: usage, CostUSD: new(0.0187)}, []string{"41,208 tokens", "$0.0187"}},
		"both": {result.Summary{Usage: usage, CostUSD: new(0.0187), Judges: judges},
			[]string{"agents 41,208 tokens", "$0.0187", "judges 9,412 tokens", "$0.0021"}},
		"judges": {result.Summary{CostUSD: new(0.0), Judges: judges}, []string{"judges 9,412 tokens", "$0.0021"}},
		"prices that are not known": {result.Summary{Usage: usage, CostUSD: new(0.0187), Unpriced: 1,
			Judges: &result.SideCost{Usage: judges.Usage, Calls: 2}},
			[]string{"agents 41,208 tokens", "$0.0187 (1 trial of unknown price)", "judges 9,412 tokens", "cost unknown"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, show.Expenses(&c.summary)); diff != "" {
				t.Errorf("expenses (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSharedJudgementsCountOnce(t *testing.T) {
	t.Parallel()
	run := resulttest.Judged()
	var calls int
	for i := range run.Briefs.Len() {
		if j := run.Briefs.At(i).Judges; j != nil {
			calls += j.Calls
		}
	}
	if got := run.Summary.Judges.Calls; got != 9 || calls != 14 {
		t.Errorf("got %d calls in the run and %d in its trials; want 9 and 14, five being shared", got, calls)
	}
}
