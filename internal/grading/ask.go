package grading

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
)

// Judges are the models that answer model-graded checks, as a plan has opened them. They are safe for concurrent use.
type Judges interface {
	// Ask puts a question to the judge that use names. Identical questions of a run are asked once. An error is safe to
	// show, and then Answer says at least who was asked, as far as that is known.
	Ask(ctx context.Context, use JudgeUse, q *Question) (Answer, error)
}

// ErrNoJudge is wrapped by the error of Ask when no judge is configured.
var ErrNoJudge = errors.New("no judge is configured")

// JudgeUse is how a check names its judge. Its zero value means the default judge.
type JudgeUse struct {
	Judge    string // name of a configured judge
	Model    string // instead of the model of the provider
	Provider string // id of a provider, or type/model
}

// oneByOne reports whether votes are asked for one after the other: the judges answer at once, and the order of calls
// must be the same in every run.
func oneByOne(j Judges) bool {
	s, ok := j.(interface{ Simulated() bool })
	return ok && s.Simulated()
}

// Question is one call of a judge.
type Question struct {
	Messages []chat.Message // system, user; and of a repair the reply that could not be used, and what was wrong
	Schema   json.RawMessage
	Vote     int              // from 0; votes differ in nothing else
	Extra    jsonvalue.Object // the provider's own parameters

	// Criteria and Rubric are in the messages as well; these are for judges that are no models.
	Criteria, Rubric string
	material         []Exhibit
}

// Material visits the material to be judged. The messages contain it as well.
func (q *Question) Material(visit func(name, text string)) {
	for _, x := range q.material {
		visit(x.Name, x.Text)
	}
}

type questionKey struct{}

// Asking carries a question to a judge that is no model and need not read it out of its messages.
func Asking(ctx context.Context, q *Question) context.Context {
	return context.WithValue(ctx, questionKey{}, q)
}

// Asked is the question that ctx carries; nil when it carries none.
func Asked(ctx context.Context) *Question {
	q, _ := ctx.Value(questionKey{}).(*Question)
	return q
}

// Answer is the answer of a judge, with its usage and cost.
type Answer struct {
	Text                   string
	FinishReason           string
	Key                    string // see result.Judgement
	Judge, Provider, Model string
	AnsweredBy             string // see result.Judgement
	Usage                  chat.Usage
	CostUSD                *float64 // nil: the price is not known
	LatencyMS              float64
	OtherModel             bool   // see result.Judgement
	Doubt                  string // see chat.Reply
	Calls                  string // names of tools that it calls; a judge has none
	Cached                 bool   // it was paid for by an earlier run
	Simulated              bool   // a mock answered; the cost is simulated
}

// Ledger stores the judgements of one verdict, including those of compositions and failed ones. It is safe for
// concurrent use.
type Ledger struct {
	mu   sync.Mutex
	list []result.Judgement
}

type ledgerKey struct{}

// WithLedger opens the ledger of a verdict; nil: ctx has one already, to which the parts of a composition write.
func WithLedger(ctx context.Context) (context.Context, *Ledger) {
	if ctx.Value(ledgerKey{}) != nil {
		return ctx, nil
	}
	l := &Ledger{}
	return context.WithValue(ctx, ledgerKey{}, l), l
}

// Judgements are the recorded judgements in the order for reports; a nil ledger has none.
func (l *Ledger) Judgements() []result.Judgement {
	if l == nil {
		return nil
	}
	return l.list
}

// record adds judgements of one check, in the order for reports.
func record(ctx context.Context, judgements []result.Judgement) {
	if l, ok := ctx.Value(ledgerKey{}).(*Ledger); ok {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.list = append(l.list, judgements...)
	}
}
