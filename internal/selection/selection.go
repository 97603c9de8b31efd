package selection

import "github.com/arena-evals/arena/internal/scenario"

// IDAndAlias returns the names of a resource: its id and, if it has one, its alias.
func IDAndAlias(m *scenario.Meta) []string {
	if m.Alias != "" {
		return []string{m.ID, m.Alias}
	}
	return []string{m.ID}
}
