package show

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/result"
)

// Group is the trials of one scenario × provider × region, which CI systems show the history of.
type Group struct {
	File     string // of the scenario
	Line     int32
	Scenario string
	Provider string
	Region   string
	Session  string // session of a recording with several; or the row of the dataset
	Row      string // of the dataset; "": none
	Status   result.Status
	Excuse   string        // why the group, which did not pass, makes nothing red; "": it does
	Trials   []int         // indexes into Run.Briefs, in plan order
	Stats    *result.Group // nil for a single trial
}

// Gated are the groups of several trials, the worst first, else in their order.
func Gated(groups *Groups) (all []*Group) {
	for g := range groups.Several() {
		if g.Stats.Gate != nil {
			all = append(all, g)
		}
	}
	slices.SortStableFunc(all, func(a, b *Group) int { return cmp.Compare(b.Status, a.Status) })
	return all
}

// Rates describes the results of each group, in the order of run.Groups; "" for a group without an ended trial.
func Rates(run *result.Run) []string {
	all := make([]string, len(run.Groups))
	for g := range GroupsOf(run).Several() {
		all[run.Briefs.At(g.Trials[0]).Group] = g.Rate()
	}
	return all
}

// ProviderLabel names the provider of the group, with the region when it is not the default one.
func (g *Group) ProviderLabel() string { return providerLabel(g.Provider, g.Region, g.Session) }

// ColumnLabel is ProviderLabel without the row of a dataset: what all its rows have in common.
func (g *Group) ColumnLabel() string {
	if g.Row != "" {
		return providerLabel(g.Provider, g.Region, "")
	}
	return g.ProviderLabel()
}

// Rate is "3 of 5 trials passed (60%, 18–93%), needs 100%", with "of each variant" if there are several; for a gate,
// GateLine; "": a single trial.
func (g *Group) Rate() string {
	s := g.Stats
	if s == nil {
		return ""
	}
	if s.Gate != nil && s.Gate.Rule == result.RuleGate {
		return GateLine(s.Gate)
	}
	bar := ""
	if s.Gate != nil && s.Gate.Counted > 0 {
		bar = ", " + Bar(s.Gate)
	}
	text := fmt.Sprintf("%d of %s passed (%s%s)", s.Passed, Plural(s.Trials, "trial"), Percent(s.PassRate), bar)
	switch {
	case s.Passed == s.Trials:
	case s.Status == result.Passed || s.Status == result.Failed:
		text += ", needs " + Percent(g.needs()) + g.ofEach()
		if g.Apart() {
			text += " for each check alone"
		}
	}
	if s.Gate.Unmended() {
		text += ": " + NoVerdictReason(s.Gate)
	}
	return text
}

// AskedRate is the required share of trials: that of a gate, or the highest pass_threshold that matters.
func (g *Group) AskedRate() float64 {
	if g.Stats.Gate != nil && g.Stats.Gate.Rule == result.RuleGate {
		return g.Stats.Gate.PassRate
	}
	return g.needs()
}

// Apart reports whether a count passed with a smaller share of trials than each of its checks needs: others of them
// failed in other trials.
func (g *Group) Apart() bool {
	return g.Stats != nil && g.Status == result.Passed && g.Stats.PassRate < g.needs() &&
		g.Stats.Gate != nil && g.Stats.Gate.Rule == result.RuleCount
}

func (g *Group) ofEach() string {
	all := g.Stats.Assertions
	for i := range all {
		if !maps.Equal(all[i].Variant, all[0].Variant) {
			return " of each variant"
		}
	}
	return ""
}

// needs is the highest threshold of the failed assertions, or, if the group passed, of those with failures.
func (g *Group) needs() float64 {
	needs, any := 0.0, false
	for i := range g.Stats.Assertions {
		a := &g.Stats.Assertions[i]
		if a.Status == g.Status && a.Failed > 0 {
			needs, any = max(needs, a.PassThreshold), true
		}
	}
	if !any {
		return 1
	}
	return needs
}

func inParentheses(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// AssertionRates lists the assertions of the group that did not hold in every trial, a line each:
// "turn 1: contains: 3 of 5 passed (60%), needs 80%". Each variant has its own line, which names it.
func (g *Group) AssertionRates() []string {
	if g.Stats == nil {
		return nil
	}
	var lines []string
	for i := range g.Stats.Assertions {
		a := &g.Stats.Assertions[i]
		if a.Failed == 0 && a.Errors == 0 {
			continue
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%s: %s: %d of %d passed (%s)",
			TurnLabel(a.Turn), Line(a.Type)+inParentheses(Variant(a.Variant)), a.Passed, a.Passed+a.Failed,
			Percent(a.PassRate))
		if g.Stats.Gate == nil || g.Stats.Gate.Rule == result.RuleCount {
			b.WriteString(", needs " + Percent(a.PassThreshold))
		}
		if a.Errors > 0 {
			fmt.Fprintf(&b, ", %d not judged", a.Errors)
		}
		lines = append(lines, b.String())
	}
	return lines
}
