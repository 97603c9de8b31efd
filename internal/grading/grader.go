// Package grading asks a judge for a grade: it builds the question from criteria and material, reads the replies
// strictly, and counts the votes. It knows nothing of checks, and not how a judge is called.
package grading

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/contain"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/say"
)

// Grader asks the judge of a check. It is immutable and safe for concurrent use.
type Grader struct {
	Need             Need
	System           string // "": a prompt of the project
	Criteria, Rubric string
	Own              string // the criteria, if the author wrote them
	Extra            jsonvalue.Object
	Votes            int
	Form             *Form
}

// Form is a kind of answer for which judges are asked.
type Form struct {
	schema string // JSON Schema
	close  string // how the question ends
	read   func(answer) (Opinion, error)
}

// Grade shows the exhibits to the judge once for each vote, and returns the median. All answers are recorded, in the
// order of the votes. One unusable vote makes the whole grade an error.
func (g *Grader) Grade(ctx context.Context, judges Judges, prompts *Prompts, exhibits []Exhibit) (Grade, error) {
	if judges == nil {
		return Grade{}, errNoJudge
	}
	if len(exhibits) == 0 {
		return Grade{}, errNothing
	}
	q, err := g.question(prompts, exhibits)
	if err != nil {
		return Grade{}, err
	}
	votes := make([]vote, g.Votes)
	for i := range votes {
		votes[i] = vote{g: g, judges: judges, q: q}
		if g.Votes > 1 {
			votes[i].q.Vote, votes[i].number = i, i+1
		}
	}
	g.ask(ctx, votes, oneByOne(judges))
	for i := range votes {
		record(ctx, votes[i].judgements)
	}
	if err := failedVotes(votes); err != nil {
		return Grade{}, err
	}
	return gradeOfVotes(votes), nil
}

// ask takes the votes, all at once or one after the other.
func (g *Grader) ask(ctx context.Context, votes []vote, oneByOne bool) {
	var wait sync.WaitGroup
	for i := 1; i < len(votes) && !oneByOne; i++ {
		wait.Go(func() { votes[i].ask(ctx) })
	}
	votes[0].ask(ctx)
	for i := 1; i < len(votes) && oneByOne; i++ {
		votes[i].ask(ctx)
	}
	wait.Wait()
}

var errNothing = errors.New("there is nothing for a judge to look at: the conversation is empty")

var errNoJudge = fmt.Errorf("%w; list one under judges in the arena config, or name a provider", ErrNoJudge)

// vote is one vote of a judge: the question, the answer and the opinion.
type vote struct {
	g      *Grader
	judges Judges
	q      Question
	number int // from 1; 0 when it is the only one

	judgements []result.Judgement // a repair comes after what it repairs
	opinion    Opinion
	err        error
}

// ask runs the rounds of the vote. After an unusable reply the judge gets the reason, and is asked once more.
func (v *vote) ask(ctx context.Context) {
	defer func() {
		if p := recover(); p != nil { // it may be on a goroutine of its own
			v.err = contain.Panicked("the judge", p)
		}
	}()
	said, err := v.round(ctx)
	if bad, ok := errors.AsType[*unusable](err); ok {
		v.q.Messages = append(slices.Clone(v.q.Messages), repair(said.Text, bad.reason)...)
		_, err = v.round(ctx)
		if bad, ok := errors.AsType[*unusable](err); ok {
			bad.again = true
		}
	}
	v.err = err
}

// round asks the question once, and records the reply.
func (v *vote) round(ctx context.Context) (Answer, error) {
	said, err := v.judges.Ask(ctx, v.g.Need.Use, &v.q)
	if errors.Is(err, ErrNoJudge) {
		return said, err // nothing was asked
	}
	if err != nil {
		err = &judgeError{judge: judgeLabel(&said), err: err}
	} else if v.opinion, err = v.read(&said); err != nil {
		err = &unusable{judge: judgeLabel(&said), reason: whyUnusable(&said, err), text: said.Text}
	}
	v.note(&said, err)
	return said, err
}

// read makes an opinion of a whole reply. One that the provider cut may end in another one than what is left of it.
func (v *vote) read(said *Answer) (Opinion, error) {
	opinion, err := readReply(said.Text, v.quotable(), v.g.Form.read)
	if err == nil && said.Calls != "" {
		err = errors.New("it calls a tool (" + say.Content(said.Calls) + "), and a judge has none")
	}
	if err == nil && (said.FinishReason == "length" || said.FinishReason == "content_filter") {
		err = errors.New("its end is missing")
	}
	return opinion, err
}

// quotable is the material that the judge may quote. A simulated judge quotes nothing.
func (v *vote) quotable() []Exhibit {
	if oneByOne(v.judges) {
		return nil
	}
	return v.q.material
}

// note books what a round brought.
func (v *vote) note(said *Answer, err error) {
	last := len(v.q.Messages) - 1
	j := result.Judgement{
		Key: said.Key, Judge: said.Judge, Provider: said.Provider, Model: said.Model,
		AnsweredBy: said.AnsweredBy, OtherModel: said.OtherModel, Doubt: said.Doubt, Vote: v.number,
		Repair: len(v.judgements) > 0, Criteria: v.g.Own, Rubric: v.g.Rubric,
		System: v.q.Messages[0].Content, Prompt: v.q.Messages[last].Content, Reply: said.Text,
		Usage: said.Usage, CostUSD: said.CostUSD, LatencyMS: said.LatencyMS, Cached: said.Cached,
		Simulated: said.Simulated,
	}
	if err == nil {
		j.Score, j.Reasoning = new(v.opinion.Score), v.opinion.Reasoning
	} else {
		j.Error = err.Error()
	}
	v.judgements = append(v.judgements, j)
}

// whyUnusable adds what the provider says about the end of a reply to what can be seen of it.
func whyUnusable(said *Answer, err error) string {
	switch said.FinishReason {
	case "length":
		return err.Error() + " (it was cut off at the limit of tokens)"
	case "content_filter":
		return err.Error() + " (the provider's content filter stopped it)"
	}
	return err.Error()
}

// repairLimit is how much of an unusable reply is shown to the judge again, in characters.
const repairLimit = 4000

// repair continues a conversation in which the judge gave an unusable reply.
func repair(text, reason string) []chat.Message {
	if text = say.Cut(strings.ToValidUTF8(text, "\uFFFD"), repairLimit); strings.TrimSpace(text) == "" {
		text = "(nothing)" // providers refuse empty messages
	}
	return []chat.Message{
		{Role: chat.Assistant, Content: text},
		{Role: chat.User, Content: fmt.Sprintf(repairText, reason)},
	}
}

// judgeLabel names a judge for people: judge strict (gpt-4o).
func judgeLabel(a *Answer) string {
	name := a.Judge
	if name == "" {
		name = a.Provider
	}
	if name == "" {
		return "the judge"
	}
	if name = "judge " + say.Named(name); a.Model != "" {
		name += " (" + say.Named(a.Model) + ")"
	}
	return name
}

// unusable is the error of a reply in which there is no answer.
type unusable struct {
	judge, reason, text string
	again               bool // so was the reply when the judge was asked again
}

func (e *unusable) Error() string {
	text := e.judge + " gave no usable answer"
	if e.again {
		text += ", nor when asked again"
	}
	text += ": " + e.reason
	if strings.TrimSpace(e.text) != "" {
		text += ": " + say.Quote(e.text)
	}
	return text
}

// judgeError is the error of a judge that could not be asked.
type judgeError struct {
	judge string
	err   error
}

func (e *judgeError) Error() string {
	return e.judge + ": " + say.Content(say.OneLine(e.err.Error()))
}

func (e *judgeError) Unwrap() error { return e.err }
