package checks

import (
	"slices"
	"sync"
)

// Def is everything there is to know about one check: how it is written, what it looks at, what its parameters are and
// how it is built. Defs are immutable once they are in the table.
type Def struct {
	Name string
	// Aliases are further spellings of the name. What the author wrote is what reports show.
	Aliases []string
	// SessionNames are spellings that mean the whole conversation wherever the check stands.
	SessionNames []string
	Summary      string // one sentence
	Scoring      string // how the score comes about, the formula in words; sentences
	Family       Family
	Surfaces     Surfaces // where its documentation puts it; a hint, not a restriction
	Scope        Scope
	Needs        Needs  // at most; see Compiled.Needs. A combination has those of its parts
	Reads        Reads  // of what may be taken out of a stored conversation
	Prompt       Prompt // what a judge is told by default; zero for checks that ask none
	// OnFire is what a guardrail of this check does when it fires; see Effect.
	OnFire Effect
	// About is the part of a project without which there is nothing to look at; "" is none.
	About Part
	// Forms says that a banned text is found with curly and with straight quotes, however it is written.
	Forms bool
	// Decides says that the check has a limit of its own, which its score does not tell; see Finding.Holds.
	Decides bool
	// AnyOf names parameters of which at least one must be given.
	AnyOf []string
	// Presets are what a spelling puts in place of a parameter of text that is left out: spelling → parameter → word.
	Presets map[string]map[string]string

	custom bool // it is not one of arena's

	layout func() *layout
	build  func(*binder) Check
}

// params is the typed parameter struct of a check. Build runs while the files are loaded, once for each place where the
// check is written, and only with parameters that fit their types and bounds; what it rejects itself it reports to b.
type params interface {
	Build(b *binder) Check
}

// define makes the entry of a check whose parameters are P.
func define[P params](d Def) *Def {
	d.layout = sync.OnceValue(func() *layout { return layoutFor[P]() })
	d.build = func(b *binder) Check {
		var p P
		if !b.decode(d.layout(), &p) || !b.anyOf(d.AnyOf) {
			return nil
		}
		return p.Build(b)
	}
	return &d
}

// plain makes the entry of a check that is nothing but its parameters.
func plain[P any, C interface {
	*P
	Check
}](d Def) *Def {
	d.layout = sync.OnceValue(func() *layout { return layoutFor[P]() })
	d.build = func(b *binder) Check {
		check := C(new(P))
		if !b.decode(d.layout(), check) || !b.anyOf(d.AnyOf) {
			return nil
		}
		return check
	}
	return &d
}

// Names returns every spelling of the check, the canonical one first.
func (d *Def) Names() []string {
	return slices.Concat([]string{d.Name}, d.Aliases, d.SessionNames)
}

// Params describes the parameters in the order in which documentation lists them.
func (d *Def) Params() []Param {
	fields := d.layout().fields
	out := make([]Param, len(fields))
	for i := range fields {
		out[i] = fields[i].Param
	}
	return out
}

// Family sorts the checks for people.
type Family string

// The families.
const (
	FamilyContent   Family = "content"
	FamilyJSON      Family = "JSON"
	FamilyTools     Family = "tool calls"
	FamilyAgents    Family = "agents and skills"
	FamilyWorkflow  Family = "workflows"
	FamilyMedia     Family = "media"
	FamilyJudge     Family = "LLM judges"
	FamilyRAG       Family = "retrieval"
	FamilySafety    Family = "safety"
	FamilyExternal  Family = "external checks"
	FamilyBudget    Family = "budgets"
	FamilyMeta      Family = "guardrails and invariants"
	FamilyBehaviour Family = "behaviour"
	FamilyTrace     Family = "trace checks"
	FamilyCombined  Family = "combinations"
)

// Families returns the families in the order in which documentation lists them.
func Families() []Family {
	return []Family{
		FamilyContent, FamilyJSON, FamilyTools, FamilyAgents, FamilyWorkflow, FamilyMedia, FamilyJudge, FamilyRAG,
		FamilySafety, FamilyExternal, FamilyBudget, FamilyMeta, FamilyBehaviour, FamilyTrace, FamilyCombined,
	}
}

// Prompt is what a judge is told by a check unless its author says otherwise. Its zero value is that of checks that ask
// no judge, or that have no criteria of their own.
type Prompt struct {
	System   string // who the judge is and how to work
	Criteria string // what to grade
}

// Part is a part of a project.
type Part string

// The parts.
const (
	WorkflowPart    Part = "workflow"
	CompositionPart Part = "composition"
	SkillPart       Part = "skill"
)

// Surfaces is a set of places where a check can stand.
type Surfaces uint8

// The surfaces.
const (
	OnAssertion Surfaces = 1 << iota
	OnGuardrail
	OnEval
)

// Everywhere is all the surfaces.
const Everywhere = OnAssertion | OnGuardrail | OnEval

// Scope says how much of a conversation a check looks at.
type Scope uint8

// The scopes.
const (
	AsWritten   Scope = iota // the turn as a turn assertion, the conversation otherwise
	WholeAlways              // the conversation wherever it stands
)

// Needs is what a check takes to be judged. Order, groups and the question whether there is anything to look at follow
// from it.
type Needs uint16

// The needs.
const (
	NeedsReply     Needs = 1 << iota // the text of a reply
	NeedsCalls                       // the tool calls
	NeedsUsage                       // time, tokens or cost
	NeedsMedia                       // images, sounds and videos
	NeedsWorkflow                    // the state of a workflow
	NeedsCompute                     // much time, but nothing outside the process
	NeedsEmbedding                   // an embedding model
	NeedsTool                        // runs a tool
	NeedsProcess                     // runs a program
	NeedsNetwork                     // calls an endpoint
	NeedsModel                       // calls a language model
)

const outside = NeedsTool | NeedsProcess | NeedsNetwork | NeedsModel

// The groups that evals get when they name none themselves.
const (
	GroupDefault  = "default"
	GroupFast     = "fast-running"
	GroupLong     = "long-running"
	GroupExternal = "external"
)

// Outside reports whether anything outside the process is asked.
func (n Needs) Outside() bool { return n&(outside|NeedsEmbedding) != 0 }

// Groups returns the eval groups of a check that names none.
func (n Needs) Groups() []string {
	switch {
	case n&outside != 0:
		return []string{GroupDefault, GroupLong, GroupExternal}
	case n&(NeedsCompute|NeedsEmbedding) != 0:
		return []string{GroupDefault, GroupLong}
	}
	return []string{GroupDefault, GroupFast}
}

// Cost orders checks for running: what costs nothing before what takes time, that before what leaves the process,
// and what is paid for by the token last.
func (n Needs) Cost() int {
	switch {
	case n&(NeedsModel|NeedsEmbedding) != 0:
		return 3
	case n&outside != 0:
		return 2
	case n&NeedsCompute != 0:
		return 1
	}
	return 0
}
