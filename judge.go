package arena

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/contain"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// Judge grades for the checks that ask a judge, such as llm_judge and faithfulness, in place of a model. Files name it
// as they name any other judge. It must be safe for concurrent use.
//
// It is told nothing beside what is in the question, and the same question is asked once. An error says that nothing
// could be judged, and never passes; so it is when Judge panics.
type Judge interface {
	Judge(ctx context.Context, q *JudgeQuestion) (JudgeAnswer, error)
}

// JudgeFunc is a function that is a [Judge].
type JudgeFunc func(ctx context.Context, q *JudgeQuestion) (JudgeAnswer, error)

// Judge implements [Judge].
func (f JudgeFunc) Judge(ctx context.Context, q *JudgeQuestion) (JudgeAnswer, error) {
	return f(ctx, q)
}

// JudgeQuestion is what a judge is asked.
type JudgeQuestion struct {
	Judge            string     // name under which the judge is asked
	Criteria, Rubric string     // by what to grade; the rubric may be ""
	Material         []Material // what to grade
	Vote             int        // number of the vote, from 0; votes differ in nothing else
	// System and Prompt are all of this in words, as a model would be told.
	System, Prompt string
}

// Material is a text that a judge looks at. Whatever stands in it was written by the agent and those that it worked
// with, and is never an instruction.
type Material struct {
	Name string // reply, question, context 1, …
	Text string
}

// Text is the material of that name; "" when there is none.
func (q *JudgeQuestion) Text(name string) string {
	for _, m := range q.Material {
		if m.Name == name {
			return m.Text
		}
	}
	return ""
}

// JudgeAnswer is what a judge says.
type JudgeAnswer struct {
	Score     float64 // from 0 to 1; for judge_verdict 1 is pass, 0 is fail and 0.5 is uncertain
	Reasoning string
	Usage     Usage    // where the judge has asked a model
	CostUSD   *float64 // the same; nil is not known where there is usage, and nothing where there is none
}

// seat puts the judges of a program into a project, in place of those of the same name. A check that names no judge
// asks the file's first one, and the first of these by name where the file has none.
func seat(p *scenario.Project, judges map[string]Judge) {
	for _, name := range slices.Sorted(maps.Keys(judges)) {
		id := judgeID(name)
		p.Providers = append(p.Providers, &scenario.Provider{
			Meta: scenario.Meta{ID: id}, Type: scenario.ProviderOfProgram, Role: "llm",
			Group: scenario.ProviderOfProgram + " judges",
		})
		at := slices.IndexFunc(p.Judges, func(j scenario.Judge) bool { return j.Name == name })
		if at < 0 {
			p.Judges = append(p.Judges, scenario.Judge{Name: name, Provider: id})
			continue
		}
		p.Judges[at].Provider = id
	}
}

func judgeID(name string) string { return scenario.ProviderOfProgram + "/" + name }

// bench is a judge of the program as a provider.
type bench struct {
	name  string
	judge Judge
}

var errNoQuestion = errors.New("a judge written in Go grades; it does not answer chat requests")

// Complete implements providers.Provider.
func (b *bench) Complete(
	ctx context.Context, req *chat.Request, _ func(chat.Delta) error,
) (chat.Reply, error) {
	asked := grading.Asked(ctx)
	if asked == nil {
		return chat.Reply{}, b.failure(errNoQuestion)
	}
	q := &JudgeQuestion{Judge: b.name, Criteria: asked.Criteria, Rubric: asked.Rubric, Vote: asked.Vote}
	asked.Material(func(name, text string) { q.Material = append(q.Material, Material{name, text}) })
	q.System, q.Prompt = req.Messages[0].Content, req.Messages[len(req.Messages)-1].Content
	a, err := contain.Call(ctx, "the judge", func() (JudgeAnswer, error) { return b.judge.Judge(ctx, q) })
	if ctx.Err() != nil { // nobody waits for the answer any more
		return chat.Reply{}, context.Cause(ctx)
	}
	if err == nil {
		err = a.fits()
	}
	if err != nil {
		return chat.Reply{}, b.failure(err)
	}
	return a.reply(), nil
}

// failure is an error that is not worth another attempt.
func (b *bench) failure(err error) error {
	return &providers.Error{Kind: providers.BadReply, Final: true, Msg: err.Error(), Err: err}
}

func (a *JudgeAnswer) fits() error {
	if math.IsNaN(a.Score) || a.Score < 0 || a.Score > 1 {
		return fmt.Errorf("the judge gave the score %v; scores are between 0 and 1", a.Score)
	}
	return nil
}

// reply is the answer in the form in which models answer.
func (a *JudgeAnswer) reply() chat.Reply {
	form := map[string]any{"score": a.Score, "reasoning": a.Reasoning, "evidence": []string{}}
	if word, ok := map[float64]string{0: "fail", 0.5: "uncertain", 1: "pass"}[a.Score]; ok {
		form["verdict"] = word
	}
	text, _ := json.Marshal(form) // a number within 0 and 1, and texts
	r := chat.Reply{
		Content: string(text), FinishReason: "stop", CostUSD: clone(a.CostUSD),
		Usage: usageTo(a.Usage),
	}
	if r.CostUSD == nil && a.Usage == (Usage{}) {
		r.CostUSD = new(0.0)
	}
	return r
}
