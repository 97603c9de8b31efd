package checks

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/say"
)

func spokenSubject(judges grading.Judges, reply string) *Subject {
	return &Subject{
		Judges:   judges,
		Messages: []chat.Message{{Role: chat.User, Content: "hi"}, {Role: chat.Assistant, Content: reply}},
	}
}

// TestJudgements checks the recorded calls of a judge: in the order of votes, each repair after the reply that it
// repairs, whatever the order in which the votes ended.
func TestJudgements(t *testing.T) {
	t.Parallel()
	c := compiledJSON(t, "llm_judge", `{"criteria": "Kind.", "rubric": "Strict.", "votes": 3, "min_score": 0.5,
		"judge": "strict", "model": "gpt-4o", "extra": {"top_p": 0.5}}`)
	judges := judgesSaying(`{"score": 0.4, "reasoning": "a"}`, `{"score": 7}`, `{"score": 0.9, "reasoning": "c"}`)
	v := c.Judge(t.Context(), spokenSubject(judges, "Hello."))
	if v.Status != result.Passed || *v.Score != 0.9 || v.Explanation != "c" {
		t.Errorf("%s %v %s %s", v.Status, *v.Score, v.Explanation, v.Error)
	}
	wantDetails := map[string]any{
		"score": 0.9, "reasoning": "c", "judge": "strict", "model": "gpt-4o-mini", "latency_ms": 10.0, "cost_usd": 1.0,
		"votes": []float64{0.4, 0.9, 0.9},
	}
	if diff := cmp.Diff(wantDetails, v.Details); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
	type call struct {
		Vote   int
		Repair bool
		Key    string
		Score  string
		Error  string
	}
	var got []call
	for _, j := range v.Judgements {
		score := "none"
		if j.Score != nil {
			score = say.Decimal(*j.Score)
		}
		got = append(got, call{j.Vote, j.Repair, j.Key, score, j.Error})
		if j.Criteria != "Kind." || j.Rubric != "Strict." || j.Judge != "strict" || j.Usage.Total() != 120 || *j.CostUSD != 0.25 {
			t.Errorf("%+v", j)
		}
		if !strings.HasPrefix(j.System, "You are an experienced") || !j.Repair && !strings.Contains(j.Prompt, "Hello.") {
			t.Errorf("%s\n%s", j.System, j.Prompt)
		}
	}
	const problem = `judge strict (gpt-4o-mini) gave no usable answer: score is 7, which is not between 0 and 1: "{\"score\": 7}"`
	want := []call{
		{1, false, "vote 0 of 2 messages", "0.4", ""},
		{2, false, "vote 1 of 2 messages", "none", problem},
		{2, true, "vote 1 of 4 messages", "0.9", ""},
		{3, false, "vote 2 of 2 messages", "0.9", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("judgements (-want +got):\n%s", diff)
	}
	if got := v.Judgements[2].Prompt; !strings.HasPrefix(got, "This cannot be used: score is 7, which is not between 0 and 1.") {
		t.Error(got)
	}
	for _, q := range judges.asked {
		if jsonvalue.Text(q.Extra["top_p"]) != "0.5" || len(q.Extra) != 1 {
			t.Errorf("extra %v", q.Extra)
		}
		if !strings.Contains(string(q.Schema), `"additionalProperties":false`) {
			t.Errorf("schema %s", q.Schema)
		}
	}
	for _, use := range judges.uses {
		if use != (grading.JudgeUse{Judge: "strict", Model: "gpt-4o"}) {
			t.Errorf("%+v", use)
		}
	}
}

// TestUnusableJudges: no unusable reply passes, whatever the threshold, and the error quotes it.
func TestUnusableJudges(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		judges *fakeJudges
		want   string
		calls  int
	}{
		{"unreachable", &fakeJudges{failure: "connection refused"}, "judge strict (gpt-4o-mini): connection refused", 1},
		{
			"an error of several lines", &fakeJudges{failure: "401\n\x1b[31mbad key"},
			`judge strict (gpt-4o-mini): 401\n\x1b[31mbad key`, 1,
		},
		{
			"truncated", &fakeJudges{replies: []string{`{"reasoning": "It`}, finish: "length"},
			`it breaks off inside of a bracket (it was cut off at the limit of tokens): "{\"reasoning\": \"It"`, 2,
		},
		{
			"whole, and cut behind it", &fakeJudges{replies: []string{`{"score": 0.5}`}, finish: "length"},
			`its end is missing (it was cut off at the limit of tokens): "{\"score\": 0.5}"`, 2,
		},
		{
			"whole, and filtered", &fakeJudges{replies: []string{`{"score": 0.5}`}, finish: "content_filter"},
			"its end is missing (the provider's content filter stopped it)", 2,
		},
		{
			"filtered", &fakeJudges{replies: []string{""}, finish: "content_filter"},
			"it is empty (the provider's content filter stopped it)", 2,
		},
		{
			"hostile", judgesSaying(strings.Repeat("no\n\x1b[2J", 1000)),
			`gave no usable answer, nor when asked again: it breaks off inside of a bracket: "no\n\x1b[2Jno`, 2,
		},
		{"unusable in another way when asked again", judgesSaying("no", `{"score": 9}`), "nor when asked again: score is 9", 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for _, threshold := range []string{`"max_score": 0.5`, `"min_score": 0`} {
				c := compiledJSON(t, "llm_judge", `{"criteria": "Kind.", `+threshold+`}`)
				v := c.Judge(t.Context(), spokenSubject(tc.judges, "Hello."))
				if v.Status != result.Errored || v.Passed || v.Score != nil || !strings.Contains(v.Error, tc.want) {
					t.Errorf("%s %s, want %s", v.Status, v.Error, tc.want)
				}
				if len(v.Judgements) != tc.calls || v.Judgements[0].Error == "" || v.Judgements[0].Score != nil {
					t.Errorf("judgements %+v", v.Judgements)
				}
				sane(t, "llm_judge", &v)
			}
		})
	}
}

func TestSeveralVotesFail(t *testing.T) {
	t.Parallel()
	c := compiledJSON(t, "bias", `{"votes": 4, "min_score": 0}`)
	v := c.Judge(t.Context(), spokenSubject(judgesSaying(`{"score": 1}`, `{"score": 1}`, "no", "no"), "Hello."))
	if v.Status != result.Errored || !strings.HasPrefix(v.Error, "votes 3, 4 of 4 failed: judge strict (gpt-4o-mini) gave no") {
		t.Error(v.Status, v.Error)
	}
	if len(v.Judgements) != 6 { // usable votes are kept too
		t.Errorf("%d judgements", len(v.Judgements))
	}
}

type panicking struct{}

func (panicking) Ask(context.Context, grading.JudgeUse, *grading.Question) (grading.Answer, error) {
	panic("no model")
}

func TestJudgesThatPanic(t *testing.T) {
	t.Parallel()
	c := compiledJSON(t, "toxicity", `{"votes": 3}`)
	v := c.Judge(t.Context(), spokenSubject(panicking{}, "Hello."))
	if v.Status != result.Errored || !strings.Contains(v.Error, "votes 1, 2, 3 of 3 failed: the judge panicked: no model") {
		t.Error(v.Status, v.Error)
	}
}

func TestCancelledJudges(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := compiledJSON(t, "llm_judge", `{"criteria": "Kind.", "votes": 2}`)
	if v := c.Judge(ctx, spokenSubject(judgesSaying(`{"score": 1}`), "Hello.")); v.Status != result.Cancelled || v.Passed {
		t.Error(v.Status, v.Error)
	}
}

// nobody stands for a missing judge configuration.
type nobody struct{}

func (nobody) Ask(context.Context, grading.JudgeUse, *grading.Question) (grading.Answer, error) {
	return grading.Answer{}, fmt.Errorf("%w for this project", grading.ErrNoJudge)
}

func TestNobodyToAsk(t *testing.T) {
	t.Parallel()
	for params, want := range map[string]result.Status{
		`{}`:                    result.Passed,
		`{"judge": "strict"}`:   result.Errored,
		`{"votes": 3}`:          result.Errored,
		`{"criteria": "Kind."}`: result.Errored,
	} {
		v := compiledJSON(t, "pii_leakage", params).Judge(t.Context(), spokenSubject(nobody{}, "Hello."))
		if v.Status != want || len(v.Judgements) != 0 {
			t.Errorf("%s: %s %s%s, %d judgements", params, v.Status, v.Explanation, v.Error, len(v.Judgements))
		}
	}
}

// TestJudgementsOfCompositions: the calls of nested checks are recorded with the outer check, errors included.
func TestJudgementsOfCompositions(t *testing.T) {
	t.Parallel()
	c := compiledJSON(t, "all_of", `{"checks": [
		{"type": "bias", "min_score": 0.5}, {"type": "toxicity", "params": {"votes": 2}}]}`)
	v := c.Judge(t.Context(), spokenSubject(once{}, "Hello."))
	if v.Status != result.Errored || len(v.Judgements) != 1+2*2 {
		t.Errorf("%s %s, %d judgements", v.Status, v.Error, len(v.Judgements))
	}
}

// once is a judge that grades single votes only.
type once struct{}

func (once) Ask(_ context.Context, _ grading.JudgeUse, q *grading.Question) (grading.Answer, error) {
	if strings.Contains(q.Messages[0].Content, "toxicity") {
		return grading.Answer{Text: "no comment"}, nil
	}
	return grading.Answer{Text: `{"score": 0.6}`}, nil
}

func TestUnknownPrices(t *testing.T) {
	t.Parallel()
	v := compiledJSON(t, "bias", `{}`).Judge(t.Context(), spokenSubject(unpriced{}, "Hello."))
	if _, known := v.Details["cost_usd"]; known || !v.Passed {
		t.Errorf("%+v", v)
	}
}

type unpriced struct{}

func (unpriced) Ask(context.Context, grading.JudgeUse, *grading.Question) (grading.Answer, error) {
	return grading.Answer{Text: `{"score": 1}`, Provider: "ollama"}, nil
}
