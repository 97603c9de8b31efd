package workflow

// An Edge is a way from one state to another.
type Edge struct {
	From, To string
	Event    string // "": From is full, and To is entered in its place
}

// Edges are the transitions that trials can make, in the order of the file and of event names. Events of an external
// state do not count: the model makes no transition there.
func (g *Graph) Edges() (edges []Edge) {
	for _, s := range g.states {
		for _, e := range s.Edges() {
			if s.Mode != External || e.Event == "" {
				edges = append(edges, e)
			}
		}
	}
	return edges
}

// Edges are all transitions out of a state.
func (s *State) Edges() (edges []Edge) {
	for _, event := range s.EventNames() {
		edges = append(edges, Edge{s.Name, s.Events[event], event})
	}
	if s.MaxVisits > 0 && s.OnMaxVisits != "" {
		edges = append(edges, Edge{From: s.Name, To: s.OnMaxVisits})
	}
	return edges
}
