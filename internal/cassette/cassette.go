// Package cassette records the exchanges of trials with models, tools and evaluators, one file for each trial, and
// replays them: without network, programs or keys, and with the same results.
//
// A trial that is recorded works with replies that were decoded from their recorded form, so that a replay cannot
// differ. Secrets are the exception: the trial works with them, and the file does not hold them.
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
	kindTools     = "tools"   // of a source that lists them
	kindMedia     = "media"   // of a user's message, at an address
	kindHTTP      = "http"    // an endpoint that evaluates
	kindProgram   = "program" // a program that evaluates
	kindAgent     = "agent"   // an agent that evaluates
)

// document is the content of a cassette file.
type document struct {
	Version int    `json:"arena_cassette"`
	Trial   string `json:"trial"`
	// Simulated is true when the provider was a mock.
	Simulated bool `json:"simulated,omitempty"`
	// CheckedBy are the checkers of the recorded trial, see result.CheckersOf. A replay has the same ones.
	CheckedBy string `json:"checked_by,omitempty"`
	// Redacted are the names of fields whose values were removed.
	Redacted []string `json:"redacted,omitempty"`
	// Tools are the definitions of offered tools, each once. Requests refer to a definition by the name of the tool, or
	// by tool.As when an earlier definition has that name.
	Tools     []tool     `json:"tools,omitempty"`
	Exchanges []exchange `json:"exchanges"`
}

// exchange is a request with its reply, its error, or both when the reply was incomplete.
type exchange struct {
	Kind      string   `json:"kind"`
	At        string   `json:"at"` // place in the trial, for people: "turn 1"
	Request   any      `json:"request"`
	Reply     any      `json:"reply,omitempty"`
	Error     *failure `json:"error,omitempty"`
	LatencyMS float64  `json:"latency_ms"`
}

// readExchange is an exchange whose request and reply are not decoded yet.
type readExchange struct {
	Kind      string          `json:"kind"`
	At        string          `json:"at"`
	Request   json.RawMessage `json:"request"`
	Reply     json.RawMessage `json:"reply"`
	Error     *failure        `json:"error"`
	LatencyMS float64         `json:"latency_ms"`
}

// shapes returns empty values for the request and the reply of a kind of exchange.
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
	case kindTools:
		return new(toolListRequest), new(toolListReply)
	case kindMedia:
		return new(mediaRequest), new(mediaReply)
	case kindHTTP, kindProgram, kindAgent:
		return new(outsideRequest), new(outsideReply)
	}
	return nil, nil
}

// kinds lists the kinds of exchanges.
func kinds() []string {
	return []string{kindModel, kindJudge, kindEmbedding, kindTool, kindTools, kindMedia, kindHTTP, kindProgram, kindAgent}
}
