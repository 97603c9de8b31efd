package cassette

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
)

var errNoReply = errors.New("the recorded exchange has neither a reply nor an error")

// judgeRequest is a question to a judge.
type judgeRequest struct {
	Judge    string          `json:"judge,omitempty"`
	Provider string          `json:"provider,omitempty"`
	Model    string          `json:"model,omitempty"`
	Messages []message       `json:"messages"`
	Schema   json.RawMessage `json:"schema,omitempty"`
	Vote     int             `json:"vote,omitempty"` // from 0
	Extra    map[string]any  `json:"extra,omitempty"`
}

// judgeReply is the answer of a judge, or of an error whom it concerns.
type judgeReply struct {
	Content  Text     `json:"content"`
	Finish   string   `json:"finish_reason,omitempty"`
	Key      string   `json:"key,omitempty"` // the same for judgements that are asked once
	Judge    string   `json:"judge,omitempty"`
	Provider string   `json:"provider,omitempty"`
	Model    string   `json:"model,omitempty"`
	Usage    usage    `json:"usage"`
	CostUSD  *float64 `json:"cost_usd"` // null: not known
	Cached   bool     `json:"cached,omitempty"`
	Source   string   `json:"source,omitempty"` // the same as long as the same model at the same place is asked
}

// Judges is next, recorded or answered from the recording. Every trial has the answers that it got, also where
// identical questions of a run are asked once.
func (l *Lane) Judges(next checks.Judges) checks.Judges {
	if l == nil || next == nil {
		return next
	}
	return desk{l, next}
}

type desk struct {
	*Lane
	next checks.Judges
}

// Ask implements checks.Judges.
func (d desk) Ask(ctx context.Context, use checks.JudgeUse, asked *checks.Question) (checks.Answer, error) {
	t := d.tape
	none := checks.Answer{Judge: use.Judge, Provider: use.Provider, Model: use.Model}
	e, err := d.ask(ctx, &question{
		kind: kindJudge, vote: asked.Vote, group: groupOf(asked), other: d.other(use), source: d.source(use),
		write: func(p pen) (any, []tool, error) {
			messages, err := p.messagesOf(asked.Messages)
			return &judgeRequest{
				Judge: use.Judge, Provider: use.Provider, Model: use.Model, Messages: messages,
				Schema: p.schema(asked.Schema), Vote: asked.Vote, Extra: p.args(asked.Extra),
			}, nil, err
		},
		live: func() (reply, float64, error) {
			a, err := d.next.Ask(ctx, use, asked)
			return func(p pen) (any, error) {
				return &judgeReply{
					Content: p.text(a.Text), Finish: a.FinishReason, Key: a.Key, Judge: a.Judge, Provider: a.Provider,
					Model: a.Model, Usage: usageOf(a.Usage), CostUSD: a.CostUSD, Cached: a.Cached,
					Source: d.source(use),
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
			return none, t.broke(errNoReply)
		}
	}
	return checks.Answer{
		Text: string(r.Content), FinishReason: r.Finish, Key: r.Key, Judge: r.Judge, Provider: r.Provider, Model: r.Model,
		Usage: r.Usage.chat(), CostUSD: r.CostUSD, LatencyMS: e.latency, Cached: r.Cached || e.again,
	}, e.err()
}

// other tells the answers of other models than the one that would be asked now: a verdict is that of a model.
func (d desk) other(use checks.JudgeUse) func(reply any) string {
	judges, ok := d.next.(interface {
		ModelFor(use checks.JudgeUse) (provider, model string)
	})
	if !ok {
		return nil
	}
	provider, model := judges.ModelFor(use)
	p := d.tape.writer()
	is := func(recorded, now string) bool { return recorded == now || recorded == spotless(p, now) }
	return func(reply any) string {
		r, ok := reply.(*judgeReply)
		if !ok || r == nil || provider == "" || is(r.Provider, provider) && (model == "" || is(r.Model, model)) {
			return ""
		}
		return fmt.Sprintf("%s, and the judge is %s now", modelAt(r.Model, r.Provider), modelAt(model, provider))
	}
}

// source is who answers; "" where that is not known, or invented.
func (d desk) source(use checks.JudgeUse) string {
	if judges, ok := d.next.(interface {
		Source(use checks.JudgeUse) string
	}); ok {
		return judges.Source(use)
	}
	return ""
}

func modelAt(model, provider string) string {
	if model == "" {
		return "the provider " + provider
	}
	return fmt.Sprintf("%s (provider %s)", model, provider)
}

// groupOf is the same for the votes on one thing, repairs included.
func groupOf(q *checks.Question) string {
	texts := []string{"judge"}
	for _, m := range q.Messages[:min(2, len(q.Messages))] {
		texts = append(texts, m.Content)
	}
	return strings.Join(texts, "\x00")
}

// embeddingRequest is texts to be turned into vectors.
type embeddingRequest struct {
	Texts []Text `json:"texts"`
}

// embeddingReply is the vectors, in the order of the texts.
type embeddingReply struct {
	Vectors []vector `json:"vectors"`
	Model   string   `json:"model,omitempty"`
	Tokens  *int     `json:"tokens,omitempty"`
	CostUSD *float64 `json:"cost_usd"` // null: not known
}

// Embedder is next, recorded or answered from the recording.
func (l *Lane) Embedder(next checks.Embedder) checks.Embedder {
	if l == nil || next == nil {
		return next
	}
	return embedder{l, next}
}

type embedder struct {
	*Lane
	next checks.Embedder
}

// Embed implements checks.Embedder.
func (m embedder) Embed(ctx context.Context, texts []string) (chat.Embeddings, error) {
	t := m.tape
	write := func(p pen) (any, []tool, error) {
		q := &embeddingRequest{}
		for _, text := range texts {
			q.Texts = append(q.Texts, p.text(text))
		}
		return q, nil, nil
	}
	e, err := m.ask(ctx, &question{kind: kindEmbedding, write: write, live: func() (reply, float64, error) {
		got, err := m.next.Embed(ctx, texts)
		if err != nil {
			return nil, measured, err
		}
		r := &embeddingReply{Model: got.Model, Tokens: got.Tokens, CostUSD: got.CostUSD}
		for _, v := range got.Vectors {
			r.Vectors = append(r.Vectors, v)
		}
		return func(pen) (any, error) { return r, nil }, measured, nil
	}})
	if err == nil {
		err = e.err()
	}
	if err != nil {
		return chat.Embeddings{}, err
	}
	r, _ := e.reply.(*embeddingReply)
	if r == nil {
		return chat.Embeddings{}, t.broke(errNoReply)
	}
	out := chat.Embeddings{Model: r.Model, Tokens: r.Tokens, CostUSD: r.CostUSD}
	for _, v := range r.Vectors {
		out.Vectors = append(out.Vectors, v)
	}
	return out, nil
}
