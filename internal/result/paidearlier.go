package result

import "github.com/arena-evals/arena/internal/chat"

// PaidEarlier yields what each reply of a model cost, of the agent or of others, that this run took from a cache or a
// recording; nil: the price is not known. No sum of costs of the run has it.
func (t *Trial) PaidEarlier(yield func(*float64) bool) {
	more := true
	one := func(cached bool, usd *float64) { more = more && (!cached || yield(usd)) }
	said := func(m *chat.Message) {
		one(m.Cached, m.CostUSD)
		if g := m.Generated; g != nil {
			one(g.Cached, g.CostUSD)
		}
		if m.LeftOut != nil && m.LeftOut.Asked != nil {
			one(m.LeftOut.Asked.Cached, m.LeftOut.Asked.CostUSD)
		}
	}
	for i := range t.Turns {
		turn := &t.Turns[i]
		for k := range turn.Messages {
			said(&turn.Messages[k])
		}
		if turn.Composition == nil {
			continue
		}
		for k := range turn.Composition.Steps {
			for m := range turn.Composition.Steps[k].Said {
				said(m)
			}
		}
	}
	t.Judged(func(j *Judgement) { one(j.Cached, j.CostUSD) })
}

// Earlier is what the replies that a trial took from a cache or a recording cost when they were paid for.
type Earlier struct {
	USD     float64
	Unknown bool // the price of one is not known, and not in USD
}

func (t *Trial) earlier() (e Earlier) {
	for usd := range t.PaidEarlier {
		if usd == nil {
			e.Unknown = true
		} else {
			e.USD += *usd
		}
	}
	return e
}

// FullCost is what the agent, the judges, the played users and the context policy of a trial cost, whoever paid: a
// reply from a cache counts as it did when it was paid for. nil: the price of a call is not known.
func (t *Trial) FullCost() *float64 {
	return fullCost(t.CostUSD, t.earlier(), t.Judges, t.Users, t.Context)
}

// FullCost is that of the trial.
func (b *Brief) FullCost() *float64 {
	return fullCost(b.CostUSD, b.Earlier, b.Judges, b.Users, b.Context)
}

func fullCost(agent *float64, earlier Earlier, beside ...*SideCost) *float64 {
	if agent == nil || earlier.Unknown {
		return nil
	}
	sum := *agent + earlier.USD
	for _, c := range beside {
		switch {
		case c == nil:
		case c.CostUSD == nil:
			return nil
		default:
			sum += *c.CostUSD
		}
	}
	return &sum
}
