// Package cassette records what the trials of a run exchange with models, tools and evaluators, one file a trial, and
// answers from these files when the run is played again: without network, programs or keys, and with the same results.
//
// Recording and playing share one rule: a trial sees only what its cassette holds. What was recorded is read back from
// its recorded form before the trial goes on, so that a replay cannot differ. The exception is what no file may hold:
// a trial that is recorded goes on with it, and is judged by it.
package cassette

import "encoding/json"

// Version of the file format. Files of other versions are refused.
const Version = 1

// The kinds of exchanges.
const (
	kindModel     = "model"
	kindJudge     = "judge"
	kindEmbedding = "embedding"
	kindTool      = "tool"
	kindHTTP      = "http"    // an endpoint that evaluates
	kindProgram   = "program" // that evaluates
	kindAgent     = "agent"   // that evaluates
)

// document is a cassette as it stands in its file.
type document struct {
	Version int    `json:"arena_cassette"`
	Trial   string `json:"trial"`
	// Simulated says that the provider was a mock, whose replies are not those of a model.
	Simulated bool `json:"simulated,omitempty"`
	// Redacted are the names of fields whose values were taken out.
	Redacted []string `json:"redacted,omitempty"`
	// Tools are those that models were told about; requests name them.
	Tools     []tool     `json:"tools,omitempty"`
	Exchanges []exchange `json:"exchanges"`
}

// exchange is a request and what came back: a reply, an error, or both when a reply broke off.
type exchange struct {
	Kind      string   `json:"kind"`
	At        string   `json:"at"` // place in the trial, for people: "turn 1"
	Request   any      `json:"request"`
	Reply     any      `json:"reply,omitempty"`
	Error     *failure `json:"error,omitempty"`
	LatencyMS float64  `json:"latency_ms"`
}

// read is an exchange of which the kind is still to be looked at.
type readExchange struct {
	Kind      string          `json:"kind"`
	At        string          `json:"at"`
	Request   json.RawMessage `json:"request"`
	Reply     json.RawMessage `json:"reply"`
	Error     *failure        `json:"error"`
	LatencyMS float64         `json:"latency_ms"`
}

// shapes are the requests and replies by the kind of the exchange.
func shapes(kind string) (request, reply any) {
	switch kind {
	case kindModel:
		return new(modelRequest), new(modelReply)
	case kindJudge:
		return new(judgeRequest), new(judgeReply)
	case kindEmbedding:
		return new(embeddingRequest), new(embeddingReply)
	case kindTool:
		return new(toolRequest), new(toolReply)
	case kindHTTP, kindProgram, kindAgent:
		return new(outsideRequest), new(outsideReply)
	}
	return nil, nil
}

// kinds lists the kinds of exchanges, as files spell them.
func kinds() []string {
	return []string{kindModel, kindJudge, kindEmbedding, kindTool, kindHTTP, kindProgram, kindAgent}
}
