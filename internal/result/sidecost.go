package result

// plus is the sum of two costs; nil is no cost. The cost is known only if both are.
func (c *SideCost) plus(d *SideCost) *SideCost {
	if c == nil || d == nil {
		if c == nil {
			c = d
		}
		return c
	}
	sum := SideCost{Usage: c.Usage.Add(d.Usage), Calls: c.Calls + d.Calls, SimulatedUSD: c.SimulatedUSD + d.SimulatedUSD}
	if c.CostUSD != nil && d.CostUSD != nil {
		sum.CostUSD = new(*c.CostUSD + *d.CostUSD)
	}
	return &sum
}

// Beside are the costs of a run other than those of agents, as far as there are any.
func (s *Summary) Beside() (all []*SideCost) {
	for _, c := range []*SideCost{s.Judges, s.Users, s.Context} {
		if c != nil {
			all = append(all, c)
		}
	}
	return all
}

// Beside are the costs of a trial other than that of the agent, as far as there are any.
func (b *Brief) Beside() (all []*SideCost) {
	for _, c := range []*SideCost{b.Judges, b.Users, b.Context} {
		if c != nil {
			all = append(all, c)
		}
	}
	return all
}
