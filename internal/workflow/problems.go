package workflow

import (
	"fmt"
	"slices"
	"strings"
)

// A Problem is something that a graph can be and probably is not meant to be.
type Problem struct {
	State string
	Rule  string // short name of what is wrong, like "unreached-state"
	Text  string
}

// Unreached is the rule about states that no trial can reach.
const Unreached = "unreached-state"

// Problems finds unreachable states and endless cycles, in the order of the file. starts are further states in which
// scenarios start.
func (g *Graph) Problems(starts ...string) (found []Problem) {
	add := func(s *State, rule, text string) {
		found = append(found, Problem{State: s.Name, Rule: rule, Text: text})
	}
	starts = append(slices.Clip(starts), g.entry.Name)
	seen, moved := g.reach(starts, g.next), g.reach(starts, g.moves)
	for _, s := range g.states {
		switch {
		case !seen[s.Name]:
			add(s, Unreached, "no way leads from a start to this state")
		case !moved[s.Name]:
			add(s, Unreached, "the ways to this state lead through external states, from which nothing in a scenario moves on")
		case s.Terminal && len(s.Events) > 0:
			add(s, "terminal-state", "the state is terminal, so its on_event has no effect")
		}
		if s.OnMaxVisits != "" {
			switch to := g.byName[s.OnMaxVisits]; {
			case s.MaxVisits == 0:
				add(s, "no-limit", "on_max_visits has no effect without max_visits")
			case to == s:
				add(s, "redirect-ring", "on_max_visits leads back to the state itself, so max_visits limits nothing")
			case to.MaxVisits > 0:
				add(s, "redirect-limit", "on_max_visits leads to "+to.Name+", whose own max_visits is not looked at then")
			}
		}
	}
	for _, s := range g.states {
		if n := g.shortest(s); slices.Contains(starts, s.Name) && g.budget.Visits > 0 && n > g.budget.Visits {
			add(s, "short-budget", fmt.Sprintf("max_total_visits is %d, and the shortest way from here to a state "+
				"without a way on enters %d, this one included", g.budget.Visits, n))
		}
	}
	if g.budget == (Budget{}) {
		for _, ring := range g.cycles() {
			add(g.byName[ring[0]], "endless-cycle",
				"states can follow each other for ever: neither max_visits nor a budget ends "+path(ring))
		}
	}
	return found
}

// reach are the states that can be reached from starts; next are the successors of a state.
func (g *Graph) reach(starts []string, next func(*State) []string) map[string]bool {
	seen := map[string]bool{}
	todo := slices.Clone(starts)
	for len(todo) > 0 {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		s := g.byName[name]
		if s == nil || seen[name] {
			continue
		}
		seen[name] = true
		todo = append(todo, next(s)...)
	}
	return seen
}

// shortest is how many states the shortest way from one to a state that ends enters, both included; 0: none.
func (g *Graph) shortest(from *State) int {
	seen := map[string]bool{}
	for n, level := 1, []string{from.Name}; len(level) > 0; n++ {
		var following []string
		for _, name := range level {
			s := g.byName[name]
			switch {
			case s.Ends():
				return n
			case !seen[name]:
				seen[name] = true
				following = append(following, g.moves(s)...)
			}
		}
		level = following
	}
	return 0
}

// moves are the states that can follow a state in a trial: an external state is not left there.
func (g *Graph) moves(s *State) []string {
	if s.Mode == External {
		return nil
	}
	return g.next(s)
}

// next are the states that can follow one, in the order of its events.
func (g *Graph) next(s *State) (names []string) {
	for _, event := range s.EventNames() {
		to := s.Events[event]
		names = append(names, to)
		if limited := g.byName[to]; limited.MaxVisits > 0 && limited.OnMaxVisits != "" {
			names = append(names, limited.OnMaxVisits)
		}
	}
	return names
}

// cycles are endless cycles, one for each strongly connected group of states.
func (g *Graph) cycles() (rings [][]string) {
	done := map[string]bool{}
	for _, s := range g.states {
		if done[s.Name] {
			continue
		}
		if ring := g.cycle(s); ring != nil {
			rings = append(rings, ring)
			for _, name := range ring {
				done[name] = true
			}
		}
	}
	return rings
}

// cycle is the shortest endless cycle through a state; nil: none.
func (g *Graph) cycle(from *State) []string {
	before := map[string]string{}
	todo := []string{from.Name}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		for _, to := range g.endless(g.byName[at]) {
			if to == from.Name {
				way := []string{at}
				for at != from.Name {
					at = before[at]
					way = append(way, at)
				}
				slices.Reverse(way)
				return way
			}
			if _, seen := before[to]; !seen {
				before[to] = at
				todo = append(todo, to)
			}
		}
	}
	return nil
}

// endless are the successors of a state without a limit of visits: those without max_visits, and the replacements of
// full ones.
func (g *Graph) endless(s *State) (names []string) {
	for _, event := range s.EventNames() {
		to := g.byName[s.Events[event]]
		switch {
		case to.MaxVisits == 0:
			names = append(names, to.Name)
		case to.OnMaxVisits != "":
			names = append(names, to.OnMaxVisits)
		}
	}
	return names
}

func path(ring []string) string { return strings.Join(append(slices.Clip(ring), ring[0]), " → ") }
