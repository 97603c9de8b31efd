package result

// Firing is a guardrail that fired on a message of a turn, or could not judge it. Its verdict is failed or error.
type Firing struct {
	Verdict     Verdict `json:"verdict"`
	Direction   string  `json:"direction"` // input, output
	Action      Action  `json:"action"`
	MonitorOnly bool    `json:"monitor_only,omitempty"` // by fail_on_violation: false
	Step        string  `json:"step,omitempty"`         // step of a composition whose message was judged
	// MessageIndex is the index of the judged message in Turn.Messages, or in the messages of the step.
	MessageIndex int `json:"message_index"`
	// StreamClosed says that the guardrail closed the stream of the reply before its end.
	StreamClosed bool `json:"stream_closed,omitempty"`
	// TokensSaved is the most tokens that the rest of the reply would have used; nil when the call had no limit.
	TokensSaved *int `json:"tokens_saved,omitempty"`
}

// Action is what a guardrail that fired did to the message.
type Action string

// The actions.
const (
	Recorded Action = "recorded" // nothing: the guardrail only monitors, or another one had acted already
	Replaced Action = "replaced" // replaced the reply by another text
	Cut      Action = "cut"      // cut the reply to its limit
	Blocked  Action = "blocked"  // answered the user instead of the model
)

// GuardCount counts the firings of guardrails. TokensSaved is an upper limit; it leaves out streams without a limit.
type GuardCount struct {
	Fired         int `json:"fired"`                    // without those that only monitor
	Monitored     int `json:"monitored,omitempty"`      // fired, and only monitor
	StreamsClosed int `json:"streams_closed,omitempty"` // replies whose stream was closed
	TokensSaved   int `json:"tokens_saved,omitempty"`
}

// GuardsOf counts the firings in a trial; nil when there are none.
func GuardsOf(t *Trial) *GuardCount {
	var n GuardCount
	for i := range t.Turns {
		for j := range t.Turns[i].Guardrails {
			n.one(&t.Turns[i].Guardrails[j])
		}
	}
	if n == (GuardCount{}) {
		return nil
	}
	return &n
}

func (n *GuardCount) one(f *Firing) {
	switch {
	case f.Verdict.Status == Errored: // it could not judge
	case f.MonitorOnly:
		n.Monitored++
	default:
		n.Fired++
	}
	if f.StreamClosed {
		n.StreamsClosed++
	}
	if f.TokensSaved != nil {
		n.TokensSaved += *f.TokensSaved
	}
}

// plus returns the sum of two counts, either of which may be nil. It may change and return n.
func (n *GuardCount) plus(m *GuardCount) *GuardCount {
	switch {
	case m == nil:
		return n
	case n == nil:
		n = &GuardCount{}
	}
	n.Fired += m.Fired
	n.Monitored += m.Monitored
	n.StreamsClosed += m.StreamsClosed
	n.TokensSaved += m.TokensSaved
	return n
}
