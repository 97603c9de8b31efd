package dispatch

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
)

// Result is the result of one eval of a request.
type Result struct {
	Version int    `json:"version"`
	ID      string `json:"result_id"` // equal for the same request, eval and moment, whichever worker ran it
	Request string `json:"request_id"`
	Run     string `json:"run_id,omitempty"`
	// Of is the number of results of the request, this one included.
	Of int `json:"results_of_request"`

	Session  string            `json:"session_id"`
	Scenario string            `json:"scenario,omitempty"`
	Provider string            `json:"provider,omitempty"`
	Model    string            `json:"model,omitempty"`
	Region   string            `json:"region,omitempty"`
	Tags     []string          `json:"tags,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`

	Moment Moment `json:"moment"`
	result.EvalResult

	Worker   string    `json:"worker,omitempty"` // the worker that ran the eval
	Finished time.Time `json:"finished"`
}

// Results builds the results of a request from what its evals measured. The ids of several results of one eval differ
// by turn and, within a turn, by order.
func Results(r *Request, measured []result.EvalResult, worker string, finished time.Time) []Result {
	type key struct {
		eval string
		turn int
	}
	list, seen := make([]Result, len(measured)), map[key]int{}
	for i := range measured {
		at := key{measured[i].ID, measured[i].Turn}
		list[i] = Result{
			Version: Version, ID: resultID(r.ID, r.Moment, at.eval, at.turn, seen[at]), Request: r.ID, Run: r.Run,
			Of: len(measured), Session: r.Session, Scenario: r.Scenario, Provider: r.Provider, Model: r.Model,
			Region: r.Region, Tags: r.Tags, Labels: r.Labels, Moment: r.Moment, EvalResult: measured[i],
			Worker: worker, Finished: finished,
		}
		seen[at]++
	}
	return list
}

func resultID(request string, moment Moment, eval string, turn, n int) string {
	return Token("result", request, string(moment), eval, strconv.Itoa(turn), strconv.Itoa(n))
}

// Token is a hash of some texts, of 32 hexadecimal digits. It is a valid token of a NATS subject.
func Token(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		_, _ = fmt.Fprintf(h, "%d:%s", len(text), text) // writing to a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// DecodeResult decodes a result. Unknown fields are ignored: a newer worker may send more.
func DecodeResult(data []byte) (*Result, error) {
	r := &Result{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("the result cannot be read: %w", jsonvalue.Explain(err))
	}
	if r.Version != Version {
		return nil, fmt.Errorf("the result has version %d; this arena reads version %d", r.Version, Version)
	}
	if err := r.CheckNumbers(); err != nil {
		return nil, fmt.Errorf("the result is damaged: %w", err)
	}
	return r, nil
}
