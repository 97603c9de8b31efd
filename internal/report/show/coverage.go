package show

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/result"
)

// Covered is the coverage of one project in words.
type Covered struct {
	Project string   // "" in a run of one project
	Touched string   // "the 3 trials that ran touched 2 of 4 states and 1 of 2 tools"
	Missed  []Missed // what no trial touched
}

// Missed are the parts of one kind that no trial touched.
type Missed struct {
	Kind  string // "state", or "states" of several
	Names []string
}

// Coverage lists what the trials touched of each project.
func Coverage(run *result.Run) (all []Covered) {
	for i := range run.Coverage {
		c := &run.Coverage[i]
		one := Covered{Project: Line(strings.TrimSuffix(c.Project, ":"))}
		var counts []string
		for _, part := range c.Parts() {
			if len(part.List) == 0 {
				continue
			}
			missed := Missed{Kind: part.Kind}
			for k := range part.List {
				if part.List[k].Trials == 0 {
					missed.Names = append(missed.Names, CoveredName(&part.List[k]))
				}
			}
			counts = append(counts, fmt.Sprintf("%s of %s", Count(len(part.List)-len(missed.Names)),
				Plural(len(part.List), part.Kind)))
			if len(missed.Names) > 1 {
				missed.Kind += "s"
			}
			if missed.Names != nil {
				one.Missed = append(one.Missed, missed)
			}
		}
		who := "the trial that ran touched "
		switch c.Trials {
		case 0:
			who = "no trial ran: "
		case 1:
		default:
			who = fmt.Sprintf("the %s that ran touched ", Plural(c.Trials, "trial"))
		}
		one.Touched = who + listed(counts)
		all = append(all, one)
	}
	return all
}

// Some are the first names, and how many more there are.
func (m *Missed) Some(n int) (names []string, more int) {
	n = min(n, len(m.Names))
	return m.Names[:n], len(m.Names) - n
}

// listed joins texts as a sentence does.
func listed(texts []string) string {
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " and " + texts[last]
}

// CoveredName names a part of a project.
func CoveredName(c *result.Covered) string {
	switch {
	case c.From == "":
		return Line(c.Name)
	case c.Event == "":
		return Line(c.From + " → " + c.To + " (when " + c.From + " is full)")
	}
	return Line(c.From + " → " + c.To + " (" + c.Event + ")")
}
