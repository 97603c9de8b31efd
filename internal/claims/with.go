package claims

import (
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// with selects the trials of a claim: those of a provider; the zero value: all.
type with struct{ provider string }

// withEach returns the selections of a claim: all trials, and with several providers also those of each. A claim about
// one provider is only reported if the claim about all was met.
func withEach(providers []string) []with {
	each := []with{{}}
	if len(providers) > 1 {
		for _, id := range providers {
			each = append(each, with{id})
		}
	}
	return each
}

func (w with) String() string {
	if w.provider == "" {
		return ""
	}
	return " with provider " + w.provider
}

// place is the place of a claim, which that about all trials has whole.
func (w with) place(whole string) string {
	if w.provider == "" {
		return whole
	}
	return whole + result.Within + w.provider
}

func idsOf(specs []*scenario.Provider) (ids []string) {
	for _, spec := range specs {
		ids = append(ids, spec.ID)
	}
	return ids
}
