package preflight

import (
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/scenario"
)

// LastReplyBans warns of checks over conversations of several turns that forbid something, or set a
// limit, and look only at the last reply.
func LastReplyBans(p *scenario.Project, chosen []*scenario.Scenario, d *diag.List) {
	report := func(c *checks.Compiled) {
		if c.BansInLastReply() {
			may, instead := c.BesideLastReply()
			d.Warnf(c.Pos, diag.Width(c.Type), "last-reply-only",
				"%s: over a conversation it looks only at the last reply, so that earlier ones may %s", c.Type, may).Hint = instead
		}
	}
	short := func(s *scenario.Scenario) bool { return s.Skip != "" || s.MostTurns() < 2 }
	long := slices.DeleteFunc(slices.Clone(chosen), short)
	if len(long) == 0 {
		return
	}
	lists := [][]scenario.Placed{p.Globals}
	for _, s := range long {
		lists = append(lists, s.Conversation)
	}
	for _, c := range slices.Concat(lists...) {
		inventory.EachCompiled(c.Compiled, report)
	}
	for _, e := range inventory.UsedEvals(p, long) {
		switch e.Trigger {
		case scenario.TriggerSessionComplete, scenario.TriggerConversationComplete, scenario.TriggerSampleSessions:
			if e.Gates() {
				inventory.EachCompiled(e.Compiled, report)
			}
		}
	}
}
