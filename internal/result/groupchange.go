package result

import (
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
)

// GroupChange is a group, or a single trial, with another status in the second of two judgements of a run.
type GroupChange struct {
	ID     string `json:"id"`
	Trials int    `json:"trials"`
	Was    Status `json:"was"`
	Now    Status `json:"now"`
	// Reasons say why; reasons that lower the requirements come first.
	Reasons []string `json:"reasons"`

	lowered int // how many of the reasons lower the requirements
	file    string
}

// Lowered reports whether the group improved because less is asked of it, not by the verdicts of its trials.
func (c *GroupChange) Lowered() bool { return c.lowered > 0 }

// GroupChanges compares the groups of two judgements, in the order of now.
func GroupChanges(was, now *Run) (all []GroupChange) {
	for i := range now.Groups {
		g := &now.Groups[i]
		before := was.group(g)
		if before == nil || before.Status == g.Status && before.Quarantined == g.Quarantined {
			continue
		}
		c := GroupChange{ID: g.name(), Trials: g.Trials, Was: before.Status, Now: g.Status, file: g.File}
		better := g.Status == Passed || g.Quarantined && !before.Quarantined
		c.addReason(better, quarantineChange(before.Quarantined, g.Quarantined), g.Quarantined)
		for _, rule := range ruleChanges(before, g) {
			c.addReason(better, rule.text, rule.lower)
		}
		if before.Passed != g.Passed || before.Trials != g.Trials {
			c.addReason(false, fmt.Sprintf("%d of %s passed, before %d of %d", g.Passed, plural.Count(g.Trials, "trial"),
				before.Passed, before.Trials), false)
		}
		all = append(all, c)
	}
	return append(all, soloChanges(was, now)...)
}

// addReason adds a reason, unless it is "".
func (c *GroupChange) addReason(better bool, reason string, lower bool) {
	switch {
	case reason == "":
	case better && lower:
		c.Reasons = slices.Insert(c.Reasons, c.lowered, reason)
		c.lowered++
	default:
		c.Reasons = append(c.Reasons, reason)
	}
}

func quarantineChange(was, now bool) string {
	switch {
	case now && !was:
		return "it is in quarantine now, and decides nothing"
	case was && !now:
		return "it is in quarantine no longer"
	}
	return ""
}

// soloChanges are changes of trials without a group: only a quarantine changes how they count.
func soloChanges(was, now *Run) (all []GroupChange) {
	before := map[string]*Brief{}
	for _, b := range was.Briefs.All() {
		if b.Group < 0 {
			before[b.ID] = &b
		}
	}
	for _, b := range now.Briefs.All() {
		old := before[b.ID]
		if b.Group >= 0 || old == nil || old.Quarantined() == b.Quarantined() {
			continue
		}
		c := GroupChange{ID: b.ID, Trials: 1, Was: old.Status, Now: b.Status, file: b.File}
		c.addReason(b.Quarantined(), quarantineChange(old.Quarantined(), b.Quarantined()), b.Quarantined())
		all = append(all, c)
	}
	return all
}

// group is the same group in another judgement; nil: none. The scenario may have moved to another file.
func (r *Run) group(of *Group) (found *Group) {
	for i := range r.Groups {
		g := &r.Groups[i]
		if g.name() != of.name() {
			continue
		}
		if g.File == of.File {
			return g
		}
		if found != nil {
			return nil // the name is ambiguous
		}
		found = g
	}
	return found
}

// ruleChange is a change in what is asked of the trials of a group.
type ruleChange struct {
	text  string
	lower bool // less is asked now
}

// ruleChanges compares what two judgements ask of a group.
func ruleChanges(was, now *Group) (all []ruleChange) {
	add := func(what string, before, after float64) {
		if before != after {
			all = append(all, ruleChange{fmt.Sprintf("%s %s, before %s", what, say.Decimal(after), say.Decimal(before)),
				after < before})
		}
	}
	if was.Gate != nil && now.Gate != nil {
		add("pass_rate", was.Gate.PassRate, now.Gate.PassRate)
	}
	before := thresholds(was.Assertions)
	after := thresholds(now.Assertions)
	told := map[placeOfRule]bool{}
	for i := range now.Assertions {
		at := placeOf(&now.Assertions[i])
		old, there := before[at]
		if !there || told[at] {
			continue
		}
		told[at] = true
		where := "of the conversation"
		if at.turn >= 0 {
			where = fmt.Sprintf("in turn %d", at.turn+1)
		}
		add(fmt.Sprintf("pass_threshold of %s %s:", at.name, where), old, after[at])
	}
	return all
}

// placeOfRule identifies a threshold in both judgements.
type placeOfRule struct {
	turn, index int
	name        string
}

func placeOf(a *AssertionStats) placeOfRule {
	if a.Eval != "" {
		return placeOfRule{a.Turn, 0, a.Eval}
	}
	return placeOfRule{a.Turn, a.Index, a.Type}
}

func thresholds(all []AssertionStats) map[placeOfRule]float64 {
	byPlace := make(map[placeOfRule]float64, len(all))
	for i := range all {
		byPlace[placeOf(&all[i])] = all[i].PassThreshold
	}
	return byPlace
}

// LoweredWarnings warns of groups that improved because less is asked of them.
func LoweredWarnings(changes []GroupChange) (list []diag.Diagnostic) {
	var names []string
	var first *GroupChange
	for i := range changes {
		if c := &changes[i]; c.Lowered() {
			if first == nil {
				first = c
			}
			names = append(names, c.ID)
		}
	}
	if first == nil {
		return nil
	}
	return []diag.Diagnostic{{
		Severity: diag.Warning, Pos: diag.Pos{File: first.file}, Code: "lowered-rule",
		Msg: plural.Of(len(names), "verdict is", "verdicts are") + " better than in the run because less is asked of the " +
			"trials now: " + firstNames(names) + " (" + first.Reasons[0] + ")",
	}}
}
