package preflight

import (
	"cmp"
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/scenario"
)

// LastReplyAlone warns of checks over conversations of several turns that are meant for every reply, such as bans,
// limits and forms, and look only at the last one.
func LastReplyAlone(p *scenario.Project, chosen []*scenario.Scenario, d *diag.List) {
	tell := func(c *checks.Compiled, way string) {
		if may, instead, alone := c.OfLastReplyAlone(); alone {
			d.Warnf(c.Pos, diag.Width(c.Type), "last-reply-only",
				"%s: over a conversation it looks only at the last reply, so that earlier ones may %s", c.Type, may).Hint =
				cmp.Or(way, instead)
		}
	}
	asserted := func(c *checks.Compiled) { tell(c, "") }
	measured := func(c *checks.Compiled) { tell(c, "write trigger: every_turn") }
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
		inventory.EachCompiled(c.Compiled, asserted)
	}
	for _, e := range inventory.UsedEvals(p, long) {
		switch e.Trigger {
		case scenario.TriggerSessionComplete, scenario.TriggerConversationComplete, scenario.TriggerSampleSessions:
			if e.Gates() {
				inventory.EachCompiled(e.Compiled, measured)
			}
		}
	}
}
