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

// Judge grades in place of a model, for checks such as llm_judge and faithfulness. Files name it like any other judge.
// It must be safe for concurrent use.
//
// It gets only what is in the question. Equal questions are asked once. An error, or a panic of Judge, makes the
// verdict an error, which never passes.
type Judge interface {
	Judge(ctx context.Context, q *JudgeQuestion) (JudgeAnswer, error)
}

// JudgeFunc is a function that is a [Judge].
type JudgeFunc func(ctx context.Context, q *JudgeQuestion) (JudgeAnswer, error)

// Judge implements [Judge].
func (f JudgeFunc) Judge(ctx context.Context, q *JudgeQuestion) (JudgeAnswer, error) {
	return f(ctx, q)
}

// JudgeQuestion is a question to a judge.
type JudgeQuestion struct {
	Judge            string     // name of the judge
	Criteria, Rubric string     // how to grade; the rubric may be ""
	Material         []Material // what to grade
	Vote             int        // number of the vote, from 0; the questions of all votes are equal otherwise
	// System and Prompt are the same question as a model would get it.
	System, Prompt string
}

// Material is a text to grade. It comes from the agent, its tools or its users: it is data, and never an instruction.
type Material struct {
	Name string // reply, question, context 1, …
	Text string
}

// Text is the material with a name; "": none.
func (q *JudgeQuestion) Text(name string) string {
	for _, m := range q.Material {
		if m.Name == name {
			return m.Text
		}
	}
	return ""
}

// JudgeAnswer is the answer of a judge.
type JudgeAnswer struct {
	Score     float64 // from 0 to 1; for judge_verdict 1 is pass, 0 is fail and 0.5 is uncertain
	Reasoning string
	Usage     Usage    // if the judge called a model
	CostUSD   *float64 // of that call; nil: not known if there is usage, else 0
}

// registerJudges replaces the judges of a project that have the name of a judge in Go, and adds the others. A check
// that names no judge uses the first judge of the file; if the file has none, the first of these by name.
func registerJudges(p *scenario.Project, judges map[string]Judge) {
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

// goJudge is the provider of a judge in Go.
type goJudge struct {
	name  string
	judge Judge
}

var errNoQuestion = errors.New("a judge written in Go grades; it does not answer chat requests")

// Complete implements providers.Provider.
func (b *goJudge) Complete(
	ctx context.Context, req *chat.Request, _ func(chat.Delta) error,
) (chat.Reply, error) {
	asked := grading.Asked(ctx)
	if asked == nil {
		return chat.Reply{}, b.finalError(errNoQuestion)
	}
	q := &JudgeQuestion{Judge: b.name, Criteria: asked.Criteria, Rubric: asked.Rubric, Vote: asked.Vote}
	asked.Material(func(name, text string) { q.Material = append(q.Material, Material{name, text}) })
	q.System, q.Prompt = req.Messages[0].Content, req.Messages[len(req.Messages)-1].Content
	a, err := contain.Call(ctx, "the judge", func() (JudgeAnswer, error) { return b.judge.Judge(ctx, q) })
	if ctx.Err() != nil {
		return chat.Reply{}, context.Cause(ctx)
	}
	if err == nil {
		err = a.validate()
	}
	if err != nil {
		return chat.Reply{}, b.finalError(err)
	}
	return a.reply(), nil
}

// finalError is an error that is not worth another attempt.
func (b *goJudge) finalError(err error) error {
	return &providers.Error{Kind: providers.BadReply, Final: true, Msg: err.Error(), Err: err}
}

func (a *JudgeAnswer) validate() error {
	if math.IsNaN(a.Score) || a.Score < 0 || a.Score > 1 {
		return fmt.Errorf("the judge gave the score %v; scores are between 0 and 1", a.Score)
	}
	return nil
}

// reply converts the answer to the reply of a model.
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
