package checks

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
)

// stub is a check made from a function.
type stub func(ctx context.Context, s *Subject) (Finding, error)

func (f stub) Eval(ctx context.Context, s *Subject) (Finding, error) { return f(ctx, s) }

func scored(score float64) stub {
	return func(context.Context, *Subject) (Finding, error) {
		return Finding{Score: score, Explanation: "seen"}, nil
	}
}

func replied(text string) *Subject {
	return &Subject{Messages: []chat.Message{{Role: chat.User, Content: "hi"}, {Role: chat.Assistant, Content: text}}}
}

func TestThresholds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		score    float64
		low, top *float64
		holds    *bool
		want     result.Status
	}{
		{"full score", 1, nil, nil, nil, result.Passed},
		{"rounding", 1 - 1e-12, nil, nil, nil, result.Passed},
		{"not quite", 0.999, nil, nil, nil, result.Failed},
		{"the check's own limit holds", 0.3, nil, nil, new(true), result.Passed},
		{"the check's own limit does not", 1, nil, nil, new(false), result.Failed},
		{"a threshold counts, not the check's limit", 0.3, new(0.5), nil, new(true), result.Failed},
		{"at the minimum", 0.7, new(0.7), nil, nil, result.Passed},
		{"below it", 0.69, new(0.7), nil, nil, result.Failed},
		{"only a maximum has no minimum", 0, nil, new(0.2), nil, result.Passed},
		{"above the maximum", 0.3, nil, new(0.2), nil, result.Failed},
		{"in the window", 0.5, new(0.4), new(0.6), nil, result.Passed},
		{"above the window", 1, new(0.4), new(0.6), nil, result.Failed},
	} {
		c := &Compiled{
			Spelling: &Spelling{Def: containsDef, Type: "contains"},
			Terms:    &Terms{MinScore: tc.low, MaxScore: tc.top, Message: "label"},
		}
		c.Check = stub(func(context.Context, *Subject) (Finding, error) {
			return Finding{Score: tc.score, Explanation: "seen", Holds: tc.holds}, nil
		})
		v := c.Judge(t.Context(), replied("x"))
		if v.Status != tc.want || *v.Score != tc.score || v.Explanation != "seen" || v.Message != "label" {
			t.Errorf("%s: %+v", tc.name, v)
		}
	}
}

func TestWhatCannotBeJudged(t *testing.T) {
	t.Parallel()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tc := range []struct {
		name    string
		check   Check
		needs   Needs
		ctx     context.Context
		subject *Subject
		want    result.Status
		text    string
	}{
		{name: "an error", check: stub(func(context.Context, *Subject) (Finding, error) {
			return Finding{Score: 1}, errors.New("the judge is down")
		}), want: result.Errored, text: "the judge is down"},
		{name: "a panic", check: stub(func(context.Context, *Subject) (Finding, error) {
			var none []int
			return Finding{Score: float64(none[3])}, nil
		}), want: result.Errored, text: "index out of range [3] with length 0 (verdict_test.go:"},
		{name: "not a number", check: scored(math.NaN()), want: result.Errored, text: "score NaN"},
		{name: "too good", check: scored(1.5), want: result.Errored, text: "score 1.5"},
		{name: "negative", check: scored(-0.1), want: result.Errored, text: "score -0.1"},
		{name: "no reply", check: scored(1), needs: NeedsReply, subject: &Subject{}, want: result.Errored,
			text: "no reply to look at"},
		{name: "neither reply nor calls", check: scored(1), needs: NeedsCalls, subject: &Subject{}, want: result.Errored,
			text: "no reply to look at"},
		{name: "calls are enough for a check of calls", check: scored(1), needs: NeedsCalls,
			subject: &Subject{Calls: []Call{{Name: "a"}}}, want: result.Passed},
		{name: "an empty reply is a reply", check: scored(1), needs: NeedsReply, subject: replied(""), want: result.Passed},
		{name: "not applicable", check: stub(func(context.Context, *Subject) (Finding, error) {
			return Finding{}, fmt.Errorf("%w: no call of that tool", ErrNotApplicable)
		}), want: result.Skipped, text: "no call of that tool"},
		{name: "stopped", ctx: cancelled, check: stub(func(ctx context.Context, _ *Subject) (Finding, error) {
			return Finding{}, fmt.Errorf("judge: %w", ctx.Err())
		}), want: result.Cancelled, text: "canceled"},
		{name: "a time limit is no stop", check: stub(func(context.Context, *Subject) (Finding, error) {
			return Finding{}, context.DeadlineExceeded
		}), want: result.Errored, text: "deadline"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := &Compiled{Spelling: &Spelling{Def: &Def{Needs: tc.needs}, Type: "stub"}, Terms: noTerms, Check: tc.check}
			ctx, s := tc.ctx, tc.subject
			if ctx == nil {
				ctx = t.Context()
			}
			if s == nil {
				s = replied("x")
			}
			v := c.Judge(ctx, s)
			if v.Status != tc.want || !strings.Contains(v.Error+v.SkipReason, tc.text) {
				t.Errorf("%+v", v)
			}
			if v.Status != result.Passed && v.Score != nil {
				t.Errorf("a score of %v for nothing", *v.Score)
			}
		})
	}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	calls := []Call{{Name: "search_web"}, {Name: "search_web", Error: "boom"}}
	re, err := (&Compiler{}).regexp("^search_")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		when *When
		want string
	}{
		{"none", nil, ""},
		{"the name", &When{Tool: "search_web"}, ""},
		{"a part of the name", &When{Tool: "search"}, `tool "search" was not called`},
		{"a pattern", &When{Pattern: re}, ""},
		{"enough calls", &When{MinCalls: 2, AnyTool: true}, ""},
		{"not enough", &When{Tool: "search_web", MinCalls: 3}, "2 tool calls, at least 3 needed"},
	} {
		if got := tc.when.unmet(calls); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
	if got := (&When{AnyTool: true}).unmet(nil); got != "no tool was called" {
		t.Error(got)
	}
	if got := (&When{Pattern: re}).unmet(nil); got != `no tool that matches "^search_" was called` {
		t.Error(got)
	}
}

// TestSkippedChecksDoNotRun: a check whose condition is not met is not run.
func TestSkippedChecksDoNotRun(t *testing.T) {
	t.Parallel()
	c := &Compiled{Spelling: &Spelling{Def: &Def{}, Type: "stub"}, Terms: &Terms{When: &When{AnyTool: true}}}
	c.Check = stub(func(context.Context, *Subject) (Finding, error) { panic("ran") })
	v := c.Judge(t.Context(), replied("x"))
	if v.Status != result.Skipped || !v.Passed || !v.Skipped || v.SkipReason != "no tool was called" {
		t.Errorf("%+v", v)
	}
}
