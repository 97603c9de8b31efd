package checks

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/endpoint"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/say"
)

// scorer is an endpoint whose answers are scores.
type scorer struct{ *endpoint.Endpoint }

func newScorer(h *Host, written address, secrets []string) scorer {
	return scorer{endpoint.New(h.HTTP, string(written), secrets...)}
}

// call returns the answer to a request, whatever its status.
func (e scorer) call(ctx context.Context, c *endpoint.Call) (Received, error) {
	res, err := e.Do(ctx, c)
	if err != nil {
		return Received{}, err
	}
	return Received{Status: res.Status, Text: string(res.Body)}, nil
}

// graded reads an agent's answer to a message.
func (e scorer) graded(text, message string) (Finding, error) {
	return e.finding(text, func(text string) (grading.Opinion, error) { return grading.ReadEvaluation(text, message) })
}

// scored reads an endpoint's answer.
func (e scorer) scored(text string) (Finding, error) {
	return e.finding(text, func(text string) (grading.Opinion, error) {
		if strings.TrimSpace(text) == "" {
			return grading.Opinion{}, errors.New("it is empty")
		}
		_, o, err := grading.OneAnswer(text)
		if _, wrong := errors.AsType[*grading.NotOneObject](err); wrong {
			return o, fmt.Errorf("it is %w", err)
		}
		return o, err
	})
}

func (e scorer) finding(text string, read func(string) (grading.Opinion, error)) (Finding, error) {
	text = e.Scrub.Text(strings.ToValidUTF8(text, "\uFFFD"))
	o, err := read(text)
	if err != nil {
		return Finding{}, fmt.Errorf("%s: the reply cannot be used: %w%s", e.Written, err, e.Excerpt(text))
	}
	details := Details{"score": o.Score, "reasoning": say.Kept(o.Reasoning)}
	if o.Against != "" {
		details[grading.Against] = o.Against
	}
	return Finding{
		Score: o.Score, Explanation: reason(o.Reasoning, "the endpoint gave no reason"), Details: details,
	}, nil
}
