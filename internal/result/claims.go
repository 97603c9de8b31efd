package result

import (
	"cmp"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/sortby"
)

// Claim is something that must occur in a run at least once, such as a call of the tool that a check names. If it did
// not occur in one part of a run, it may occur in another.
type Claim struct {
	Key   string `json:"key"`   // equal in all parts of the run
	Order int    `json:"order"` // order in which claims are reported
	// Place is equal for claims of which only the first is reported; "": no such claims. A place may be within another
	// one: its claims are not reported if the claim about the whole is.
	Place string `json:"place,omitempty"`
	// Met says that the claim holds, or that it is not known whether it should.
	Met bool `json:"met,omitempty"`
	// Unmet is the warning if the claim does not hold; "": it holds, or nothing ran in which it could.
	Unmet string `json:"unmet,omitempty"`
	// Evidence is the amount of data behind Unmet. Of several parts of a run, the text with most evidence is reported.
	Evidence int `json:"evidence,omitempty"`

	Warning diag.Diagnostic `json:"-"` // the same as Unmet, in the process that made it
}

// JoinClaims joins the claims of the parts of a run. A claim is met if it is met in one part.
func JoinClaims(parts ...[]Claim) []Claim {
	var all []Claim
	at := map[string]int{}
	for _, part := range parts {
		for i := range part {
			k, known := at[part[i].Key]
			if !known {
				at[part[i].Key] = len(all)
				all = append(all, part[i])
				continue
			}
			all[k].join(&part[i])
		}
	}
	sortby.Func(all, func(a, b Claim) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.Key, b.Key))
	})
	return all
}

func (c *Claim) join(other *Claim) {
	c.Met = c.Met || other.Met
	if other.Unmet != "" && (c.Unmet == "" || other.Evidence > c.Evidence) {
		c.Unmet, c.Evidence, c.Warning = other.Unmet, other.Evidence, other.Warning
	}
}

// Within separates a place from a part of it; see Claim.
const Within = " | "

// UnmetClaims returns the claims that did not hold although they could have, in order.
func UnmetClaims(claims []Claim) (unmet []Claim) {
	told := map[string]bool{"": false}
	for i := range claims {
		c := &claims[i]
		whole, _, _ := strings.Cut(c.Place, Within)
		if c.Met || c.Unmet == "" || told[c.Place] || told[whole] {
			continue
		}
		told[c.Place] = c.Place != ""
		unmet = append(unmet, *c)
	}
	return unmet
}
