package runner

import "slices"

// noteIdleFlags notes flags that have no effect in this run.
func (m *matrix) noteIdleFlags(spans []span) {
	if len(spans) == 0 || m.diags.Errors() > 0 {
		return
	}
	if m.opts.Sample > 0 && !slices.ContainsFunc(spans, func(s span) bool { return s.Scenario.Dataset != nil }) {
		m.note("--sample has no effect: no scenario of this run has a dataset")
	}
	if m.opts.Judge != "" && !m.judgeAsked {
		m.note("--judge has no effect: no check of this run asks a judge, but for those that name their own")
	}
}
