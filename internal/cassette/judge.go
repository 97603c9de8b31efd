package cassette

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

var errNoReply = errors.New("the recorded exchange has neither a reply nor an error")

// judgeRequest is a question to a judge.
type judgeRequest struct {
	Judge    string           `json:"judge,omitempty"`
	Provider string           `json:"provider,omitempty"`
	Model    string           `json:"model,omitempty"`
	Messages []message        `json:"messages"`
	Schema   json.RawMessage  `json:"schema,omitempty"`
	Vote     int              `json:"vote,omitempty"` // from 0
	Extra    jsonvalue.Object `json:"extra,omitempty"`
}

// judgeReply is the answer of a judge, or the judge of a question that failed.
type judgeReply struct {
	Content  Text   `json:"content"`
	Finish   string `json:"finish_reason,omitempty"`
	Key      string `json:"key,omitempty"` // equal for votes that share one answer
	Judge    string `json:"judge,omitempty"`
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
	// AnsweredBy is the model that answered, as its server named it; see result.Judgement.
	AnsweredBy string   `json:"answered_by,omitempty"`
	OtherModel bool     `json:"other_model,omitempty"`
	Served     string   `json:"served,omitempty"` // in older cassettes in place of OtherModel; never written
	Doubt      Text     `json:"doubt,omitempty"`
	Calls      Text     `json:"calls,omitempty"` // the tools that the judge called
	Usage      usage    `json:"usage"`
	CostUSD    *float64 `json:"cost_usd"` // null: not known
	Cached     bool     `json:"cached,omitempty"`
	Source     string   `json:"source,omitempty"` // identifies model and server
}

// answeredBy returns the model that answered, and whether it differs from the requested model.
func (r *judgeReply) answeredBy() (model string, other bool) {
	return cmp.Or(r.AnsweredBy, r.Served), r.OtherModel || r.Served != ""
}

// Judges records next, or replays its answers. Each trial has its own answers, even when equal questions of a run are
// asked once.
func (l *Lane) Judges(next grading.Judges) grading.Judges {
	if l == nil || next == nil {
		return next
	}
	return recordedJudges{l, next}
}

type recordedJudges struct {
	*Lane
	next grading.Judges
}

// Ask implements checks.Judges.
func (j recordedJudges) Ask(
	ctx context.Context, use grading.JudgeUse, asked *grading.Question,
) (grading.Answer, error) {
	rec := j.recorder
	none := grading.Answer{Judge: use.Judge, Provider: use.Provider, Model: use.Model}
	e, err := j.exchange(ctx, &question{
		kind: kindJudge, vote: asked.Vote, group: groupOf(asked), otherModel: j.otherModel(use), source: j.source(use),
		encode: func(enc encoder) (any, []tool, error) {
			messages, err := enc.messagesOf(asked.Messages)
			return &judgeRequest{
				Judge: use.Judge, Provider: use.Provider, Model: use.Model, Messages: messages,
				Schema: enc.schema(asked.Schema), Vote: asked.Vote, Extra: enc.args(asked.Extra),
			}, nil, err
		},
		send: func() (replyEncoder, float64, error) {
			a, err := j.next.Ask(ctx, use, asked)
			return func(enc encoder) (any, error) {
				return &judgeReply{
					Content: enc.text(a.Text), Finish: a.FinishReason, Key: a.Key, Judge: a.Judge, Provider: a.Provider,
					Model: a.Model, AnsweredBy: a.AnsweredBy, OtherModel: a.OtherModel, Doubt: enc.text(a.Doubt),
					Calls: enc.text(a.Calls), Usage: usageOf(a.Usage), CostUSD: a.CostUSD, Cached: a.Cached,
					Source: j.source(use),
				}, nil
			}, a.LatencyMS, err
		},
	})
	if err != nil {
		return none, err
	}
	r, _ := e.reply.(*judgeReply)
	if r == nil {
		r = &judgeReply{Judge: none.Judge, Provider: none.Provider, Model: none.Model}
		if e.failure == nil {
			return none, rec.fail(errNoReply)
		}
	}
	answer := grading.Answer{
		Text: string(r.Content), FinishReason: r.Finish, Key: r.Key, Judge: r.Judge, Provider: r.Provider, Model: r.Model,
		Doubt: string(r.Doubt), Calls: string(r.Calls),
		Usage: r.Usage.chat(), CostUSD: r.CostUSD, LatencyMS: e.latency, Cached: r.Cached || e.reused,
		Simulated: r.Source == "" && j.mocked(use),
	}
	answer.AnsweredBy, answer.OtherModel = r.answeredBy()
	if e.reused && e.failure == nil && e.reusable(j.source(use)) {
		j.share(&answer)
	}
	return answer, e.err()
}

// share offers an answer of the older cassette to other trials.
func (j recordedJudges) share(answer *grading.Answer) {
	if judges, ok := j.next.(interface{ Recall(answer *grading.Answer) }); ok {
		judges.Recall(answer)
	}
}

// otherModel describes the model of an answer when another model would be asked now; "" when it is the same.
func (j recordedJudges) otherModel(use grading.JudgeUse) func(reply any) string {
	judges, ok := j.next.(interface {
		ModelFor(use grading.JudgeUse) (provider, model string)
	})
	if !ok {
		return nil
	}
	provider, model := judges.ModelFor(use)
	p := j.recorder.currentEncoder()
	is := func(recorded, now string) bool { return recorded == now || recorded == withoutSecrets(p, now) }
	return func(reply any) string {
		r, ok := reply.(*judgeReply)
		if !ok || r == nil || provider == "" || is(r.Provider, provider) && (model == "" || is(r.Model, model)) {
			return ""
		}
		return fmt.Sprintf("%s, and the judge is %s now", modelAt(r.Model, r.Provider), modelAt(model, provider))
	}
}

// source identifies the judge; "" when it is simulated or not known.
func (j recordedJudges) source(use grading.JudgeUse) string {
	if judges, ok := j.next.(interface {
		Source(use grading.JudgeUse) string
	}); ok {
		return judges.Source(use)
	}
	return ""
}

// mocked reports whether a mock answers for a use.
func (j recordedJudges) mocked(use grading.JudgeUse) bool {
	judges, ok := j.next.(interface {
		Mocked(use grading.JudgeUse) bool
	})
	return ok && judges.Mocked(use)
}

func modelAt(model, provider string) string {
	if model == "" {
		return "the provider " + provider
	}
	return fmt.Sprintf("%s (provider %s)", model, provider)
}

// groupOf is the same for all votes on one question, including repairs of a reply.
func groupOf(q *grading.Question) string {
	texts := []string{"judge"}
	for _, m := range q.Messages[:min(2, len(q.Messages))] {
		texts = append(texts, m.Content)
	}
	return strings.Join(texts, "\x00")
}

// embeddingRequest is texts to embed.
type embeddingRequest struct {
	Texts []Text `json:"texts"`
}

// embeddingReply is one vector for each text.
type embeddingReply struct {
	Vectors []vector `json:"vectors"`
	Model   string   `json:"model,omitempty"`
	Tokens  *int     `json:"tokens,omitempty"`
	CostUSD *float64 `json:"cost_usd"` // null: not known
}

// Embedder records next, or replays its answers.
func (l *Lane) Embedder(next checks.Embedder) checks.Embedder {
	if l == nil || next == nil {
		return next
	}
	return recordedEmbedder{l, next}
}

type recordedEmbedder struct {
	*Lane
	next checks.Embedder
}

// Embed implements checks.Embedder.
func (m recordedEmbedder) Embed(ctx context.Context, texts []string) (chat.Embeddings, error) {
	rec := m.recorder
	write := func(enc encoder) (any, []tool, error) {
		q := &embeddingRequest{}
		for _, text := range texts {
			q.Texts = append(q.Texts, enc.text(text))
		}
		return q, nil, nil
	}
	e, err := m.exchange(ctx, &question{kind: kindEmbedding, encode: write, send: func() (replyEncoder, float64, error) {
		got, err := m.next.Embed(ctx, texts)
		if err != nil {
			return nil, measureTime, err
		}
		r := &embeddingReply{Model: got.Model, Tokens: got.Tokens, CostUSD: got.CostUSD}
		for _, v := range got.Vectors {
			r.Vectors = append(r.Vectors, v)
		}
		return func(encoder) (any, error) { return r, nil }, measureTime, nil
	}})
	if err == nil {
		err = e.err()
	}
	if err != nil {
		return chat.Embeddings{}, err
	}
	r, _ := e.reply.(*embeddingReply)
	if r == nil {
		return chat.Embeddings{}, rec.fail(errNoReply)
	}
	out := chat.Embeddings{Model: r.Model, Tokens: r.Tokens, CostUSD: r.CostUSD, Cached: e.reused}
	for _, v := range r.Vectors {
		out.Vectors = append(out.Vectors, v)
	}
	return out, nil
}
