package result

import (
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
)

// Weakening is why a gate has more errors than its confidence allows: trials were known when its rule was set, or it
// got a second chance.
type Weakening string

// The ways.
const (
	WeakenedByRule  Weakening = "rule"  // its rule was set or changed when some of its trials were known
	WeakenedByAgain Weakening = "again" // it ended without passing, and was started afresh without a change
)

// Weakenings returns all weakenings.
func Weakenings() []Weakening { return []Weakening{WeakenedByRule, WeakenedByAgain} }

// String says what was done.
func (w Weakening) String() string {
	switch w {
	case WeakenedByRule:
		return "its rule was set when trials of it were known"
	case WeakenedByAgain:
		return "it had not passed, and was started afresh although nothing had changed"
	}
	return string(w)
}

// Asks reports whether another rule has the same demand.
func (s *GateSpec) Asks(o *GateSpec) bool {
	return s.Rule == o.Rule && s.rule() == o.rule()
}

// Is reports whether another group is the same one, in any plan.
func (g *GatedGroup) Is(o *GatedGroup) bool { return g.key() == o.key() }

// name names the group in the format of trial ids.
func (g *Group) name() string {
	name := g.Scenario + "/" + g.Provider + "/" + g.Region
	if g.Row != "" {
		name += "[" + g.Row + "]"
	}
	return name
}

// WeakenedWarnings warns of gates with more errors than their confidence allows.
func (r *Run) WeakenedWarnings() (list []diag.Diagnostic) {
	for _, w := range Weakenings() {
		var names []string
		file := ""
		for i := range r.Groups {
			g := &r.Groups[i]
			if g.Gate == nil || g.Gate.Weakened != w || g.Gate.Counted == 0 {
				continue
			}
			names, file = append(names, g.name()), g.File
		}
		if len(names) == 0 {
			continue
		}
		what := "ended by a rule that was set when trials were known"
		if w == WeakenedByAgain {
			what = "had not passed and began afresh although nothing had changed"
		}
		list = append(list, diag.Diagnostic{
			Severity: diag.Warning, Pos: diag.Pos{File: file}, Code: "weakened-gate",
			Msg: plural.Of(len(names), "gate", "gates") + " " + what + ", so that a verdict is wrong more often than the " +
				"confidence says: " + firstNames(names),
		})
	}
	return list
}
