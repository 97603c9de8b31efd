package result

import "github.com/arena-evals/arena/internal/chat"

// Judgement is one call of a judge for a check: the question, the reply and the score. Every vote and every repair is a
// judgement of its own.
type Judgement struct {
	// Key is equal for judgements that share one answer: the judge is asked once for identical questions of a run. A
	// second paid answer to the same question has another key. It is "" for a call that used tokens and gave no
	// judgement; such calls are counted one by one.
	Key      string `json:"key"`
	Judge    string `json:"judge"` // name, or the provider's id when it has none
	Provider string `json:"provider"`
	Model    string `json:"model,omitempty"`
	// AnsweredBy is the model that answered, as reported by the server; "": a mock, or not known.
	AnsweredBy string     `json:"answered_by,omitempty"`
	OtherModel bool       `json:"other_model,omitempty"` // AnsweredBy is a model other than Model, not a version of it
	Vote       int        `json:"vote,omitempty"`        // from 1, if several votes were asked for
	Repair     bool       `json:"repair,omitempty"`      // asked again after an unreadable reply
	Criteria   string     `json:"criteria,omitempty"`    // what was graded, in addition to the type
	Rubric     string     `json:"rubric,omitempty"`      // the weights of the criteria
	System     string     `json:"system"`
	Prompt     string     `json:"prompt"` // the user message; of a repair, its own message
	Reply      string     `json:"reply"`  // complete and unchanged
	Score      *float64   `json:"score"`  // null: the reply was unreadable
	Reasoning  string     `json:"reasoning,omitempty"`
	Error      string     `json:"error,omitempty"` // why there is no score
	Doubt      string     `json:"doubt,omitempty"` // why the reply may be incomplete
	Usage      chat.Usage `json:"usage"`
	CostUSD    *float64   `json:"cost_usd"` // null: the price is not known
	LatencyMS  float64    `json:"latency_ms"`
	Cached     bool       `json:"cached,omitempty"`    // paid for by an earlier run; not part of costs
	Simulated  bool       `json:"simulated,omitempty"` // a mock answered; nobody paid the cost
}

// SimulatedUSD is the cost when a mock answered, else 0.
func (j *Judgement) SimulatedUSD() float64 {
	if !j.Simulated || j.CostUSD == nil {
		return 0
	}
	return *j.CostUSD
}
