package result

import "github.com/arena-evals/arena/internal/chat"

// Judgement is one call of a judge for a check: what was asked, what came back and what was made of it. Every vote and
// every repair is one.
type Judgement struct {
	// Key is the same for all identical judgements of a run, which are asked once. It is "" for a call that took something
	// and came to nothing: that is counted for itself.
	Key       string     `json:"key"`
	Judge     string     `json:"judge"` // name, or the provider's id when it has none
	Provider  string     `json:"provider"`
	Model     string     `json:"model,omitempty"`
	Vote      int        `json:"vote,omitempty"`     // from 1, when several were asked for
	Repair    bool       `json:"repair,omitempty"`   // asked again, after a reply that could not be used
	Criteria  string     `json:"criteria,omitempty"` // what was to be graded, as far as it is more than the type says
	Rubric    string     `json:"rubric,omitempty"`   // how much each thing counts
	System    string     `json:"system"`
	Prompt    string     `json:"prompt"` // the user's text; of a repair what was asked for then
	Reply     string     `json:"reply"`  // as it came, whole
	Score     *float64   `json:"score"`  // null: nothing could be made of the reply
	Reasoning string     `json:"reasoning,omitempty"`
	Error     string     `json:"error,omitempty"` // why there is no score
	Usage     chat.Usage `json:"usage"`
	CostUSD   *float64   `json:"cost_usd"` // null: the price is not known
	LatencyMS float64    `json:"latency_ms"`
	Cached    bool       `json:"cached,omitempty"` // it was paid for by an earlier run, and is in no sum of costs
}
