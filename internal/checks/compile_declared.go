package checks

import (
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
)

// declared holds the check types that a project declares, and the variables that were filled into the check. A check
// and its parts share it.
type declared struct {
	handlers map[string]*scenario.Handler
	filled   map[*node.Node][]scenario.FilledIn
	early    bool // the types are not known yet
	unknown  bool // a type was used that the project may declare
}

// names lists every check type that a file of the project may use, for hints.
func (k *compilation) names() []string {
	return slices.AppendSeq(slices.Clone(k.c.Custom.known()), maps.Keys(k.own.handlers))
}

// handler returns the spelling of a type that the project declares.
func (k *compilation) handler(h *scenario.Handler) *Spelling {
	e, _ := k.c.handlers.LoadOrStore(h, &Spelling{Def: handlerDef(h), Type: h.Type})
	return e.(*Spelling)
}

// handlerDef declares a check type that is a program. It takes any parameters.
func handlerDef(h *scenario.Handler) *Def {
	return &Def{
		Name: h.Type, Summary: "Scored by the program " + h.Command + ".", Scoring: "The score that the program gives.",
		Family: FamilyExternal, Surfaces: Everywhere, Needs: NeedsReply | NeedsCalls | NeedsProcess,
		layout: func() *layout { return &layout{} },
		build: func(b *binder) Check {
			params := map[string]any{}
			if b.body != nil {
				params = b.r.Any(b.body).(map[string]any)
			}
			return &execEval{handler: h, params: params}
		},
	}
}

// ReportHandlers reports check types of a project whose name is that of an existing check.
func (c *Compiler) ReportHandlers(p *scenario.Project, d *diag.List) {
	for _, h := range p.Handlers {
		if !slices.Contains(c.Custom.known(), h.Type) {
			continue
		}
		whose := "that is registered"
		if slices.Contains(knownNames(), h.Type) {
			whose = "that arena has"
		}
		d.Errorf(h.Pos, len([]rune(h.Type)), "duplicate-id", "%q is a check %s; a program cannot take its place",
			h.Type, whose).Hint = "give it another name"
	}
}
