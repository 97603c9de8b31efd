package checks

import (
	"context"
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/grading"
)

// judgeParams are the parameters of every check with a judge, besides its criteria.
type judgeParams struct {
	Rubric       requiredText        `param:"rubric" is:"prose" doc:"How much each thing counts."`
	Judge        requiredText        `param:"judge" is:"judge" doc:"Name of the judge to ask; the first one when left out."`
	Model        requiredText        `param:"model" is:"model" doc:"Model to ask, in place of the judge's own."`
	Provider     requiredText        `param:"provider" is:"provider" doc:"Provider to ask, by id or as type/model, in place of a judge."`
	SystemPrompt requiredText        `param:"system_prompt" is:"prose" doc:"What the judge is told to be, in place of arena's text."`
	Prompt       requiredText        `param:"prompt" is:"prompt" doc:"Prompt of the project to take as system_prompt, by id."`
	Votes        int                 `param:"votes" default:"1" min:"1" max:"9" doc:"How often to ask; the median counts."`
	Extra        map[string]anyValue `param:"extra" doc:"Parameters of the judge's provider, passed on."`
}

// mustCriteria is for checks that require criteria, mayCriteria for those with default criteria.
type mustCriteria struct {
	Criteria requiredText `param:"criteria,required" is:"prose" doc:"What the judge is to grade, in words."`
}

type mayCriteria struct {
	Criteria requiredText `param:"criteria" is:"prose" doc:"What the judge is to grade, in place of arena's text."`
}

// judgeOwned are the parts of a call that extra must not replace: the judge, its material, and the form of the reply.
var judgeOwned = []string{
	"messages", "model", "n", "response_format", "stream", "stream_options", "tool_choice", "tools",
}

// modelGraded is a check that shows exhibits to a judge and takes its grade.
type modelGraded struct {
	*grader
	// show selects what the judge sees. After an error the judge is not asked.
	show func(s *Subject) ([]grading.Exhibit, error)
}

func (c *modelGraded) Eval(ctx context.Context, s *Subject) (Finding, error) {
	exhibits, err := c.show(s)
	if err != nil {
		return Finding{}, err
	}
	return c.grade(ctx, s, exhibits)
}

// grader is the part of a check that asks a judge. It is immutable and safe for concurrent use.
type grader struct{ *grading.Grader }

func (g *grader) judgeNeed() *grading.Need { return &g.Need }

func (g *grader) grade(ctx context.Context, s *Subject, exhibits []grading.Exhibit) (Finding, error) {
	if s.hidden(exhibits) {
		return Finding{}, errTakenOut
	}
	got, err := g.Grade(ctx, s.Judges, s.JudgePrompts, exhibits)
	return Finding{Score: got.Score, Explanation: got.Explanation, Details: got.Details}, err
}

// grader makes the part of a check that asks a judge; nil after a problem.
func (b *binder) grader(p *judgeParams, criteria requiredText) *grader {
	ok := b.exclusive("judge", "provider") && b.exclusive("system_prompt", "prompt")
	extra, fits := b.extra(p.Extra)
	if !ok || !fits {
		return nil
	}
	b.warnOtherScale("criteria", "rubric", "system_prompt")
	g := &grading.Grader{
		Need: b.judgeNeed(p), Form: grading.GradeForm, System: string(p.SystemPrompt), Votes: p.Votes, Extra: extra,
		Criteria: string(criteria), Own: string(criteria), Rubric: string(p.Rubric),
	}
	if criteria == "" {
		g.Criteria = b.def.Prompt.Criteria
	}
	if g.System == "" && g.Need.Prompt == "" {
		g.System = b.def.Prompt.System
		g.Need.DefaultPrompt = b.def.Family == FamilyJudge
	}
	return &grader{g}
}

func (b *binder) judgeNeed(p *judgeParams) grading.Need {
	return grading.Need{
		Use:    grading.JudgeUse{Judge: string(p.Judge), Model: string(p.Model), Provider: string(p.Provider)},
		Votes:  p.Votes,
		Prompt: string(p.Prompt),
		Pos: grading.JudgePos{
			Judge: b.pos("judge"), Model: b.pos("model"), Provider: b.pos("provider"), Prompt: b.pos("prompt"),
		},
	}
}

// extra reads the parameters for the judge's provider; nil when there are none.
func (b *binder) extra(given map[string]anyValue) (map[string]any, bool) {
	if len(given) == 0 {
		return nil, true
	}
	values, ok := make(map[string]any, len(given)), true
	for _, name := range slices.Sorted(maps.Keys(given)) {
		values[name] = given[name].v
		if !slices.Contains(judgeOwned, name) {
			continue
		}
		d := b.errorf("extra", "conflicting-parameters", "extra cannot set %s", name)
		if ok = false; name == "model" {
			d.Hint = "write it as the parameter model"
		}
	}
	return values, ok
}

// graded makes a check that shows exhibits of its subject to a judge; nil after a problem.
func (b *binder) graded(p *judgeParams, criteria requiredText, show func(*Subject) ([]grading.Exhibit, error)) Check {
	g := b.grader(p, criteria)
	if g == nil {
		return nil
	}
	return &modelGraded{g, show}
}

// exclusive reports an error when both parameters are given.
func (b *binder) exclusive(one, other string) bool {
	if b.read[one] == nil || b.read[other] == nil {
		return true
	}
	b.errorf(other, "conflicting-parameters", "%s and %s cannot both be given", one, other).Hint = "keep one of the two"
	return false
}

// pos is the position of a parameter; the zero position when it is not given.
func (b *binder) pos(param string) diag.Pos {
	if n := b.read[param]; n != nil {
		return b.r.Pos(n)
	}
	return diag.Pos{}
}
