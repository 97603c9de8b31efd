package result

// plus is the sum of two costs; nil is no cost. The sum has a price only when both have one.
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

// Beside are the costs of a run besides those of the agents, those that are there.
func (s *Summary) Beside() (all []*SideCost) {
	for _, c := range []*SideCost{s.Judges, s.Users, s.Context} {
		if c != nil {
			all = append(all, c)
		}
	}
	return all
}

// Beside are the costs of a trial besides that of the agent, those that are there.
func (b *Brief) Beside() (all []*SideCost) {
	for _, c := range []*SideCost{b.Judges, b.Users, b.Context} {
		if c != nil {
			all = append(all, c)
		}
	}
	return all
}
