package result

// Firing is a guardrail that fired on a message of a turn, or that could not judge one. Its verdict is failed or error.
type Firing struct {
	Verdict     Verdict `json:"verdict"`
	Direction   string  `json:"direction"` // input, output
	Action      Action  `json:"action"`
	MonitorOnly bool    `json:"monitor_only,omitempty"` // by fail_on_violation: false
	Step        string  `json:"step,omitempty"`         // of a composition, whose message was judged
	// MessageIndex is the place of the message that was judged in Turn.Messages, or in those of the step.
	MessageIndex int `json:"message_index"`
	// StreamClosed says that the reply was still being written, and that the rest of it never came.
	StreamClosed bool `json:"stream_closed,omitempty"`
	// TokensSaved is how many tokens the rest would have taken at most; nil when the call had no limit.
	TokensSaved *int `json:"tokens_saved,omitempty"`
}

// Action is what a guardrail that fired did to the message.
type Action string

// The actions.
const (
	Recorded Action = "recorded" // nothing: it only watches, or another one had acted already
	Replaced Action = "replaced" // put another text in the place of the reply
	Cut      Action = "cut"      // cut the reply to its limit
	Blocked  Action = "blocked"  // answered the user in the place of the model
)

// GuardCount counts the firings of guardrails. TokensSaved is at most; streams without a limit are not in it.
type GuardCount struct {
	Fired         int `json:"fired"`                    // without those that only monitor
	Monitored     int `json:"monitored,omitempty"`      // fired, and only monitor
	StreamsClosed int `json:"streams_closed,omitempty"` // replies that were not let finish
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
	case f.Verdict.Status == Errored: // not fired: it could not judge
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

// plus is the sum of two counts, either of which may be nil. It may be n itself, changed.
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
