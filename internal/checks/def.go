package checks

import (
	"slices"
	"sync"
)

// Def describes one check: its names, what it looks at, its parameters and how it is built. Defs are immutable once
// they are in the table.
type Def struct {
	Name string
	// Aliases are other names of the check. Reports show the name that the author used.
	Aliases []string
	// SessionNames are names under which the check always looks at the whole conversation.
	SessionNames []string
	Summary      string // one sentence
	Scoring      string // how the score is computed, in sentences
	Family       Family
	Surfaces     Surfaces // the surfaces that the documentation suggests; not a restriction
	Scope        Scope
	Needs        Needs // at most; see Compiled.Needs. A combined check has the needs of its parts
	Reads        Reads // which redactable parts of a conversation it reads
	// Weighs are the parts of tool calls, besides their names, on which the verdict depends. If the agent does not
	// report them, there is no verdict.
	Weighs CallParts
	Prompt Prompt // the default prompt for judges; zero for checks without a judge
	// OnFire is the effect of a guardrail of this check when it fires; see Effect.
	OnFire Effect
	// About is the part of a project that the check needs; "" is none.
	About Part
	// Forms says that the check finds a forbidden text with both curly and straight quotes.
	Forms bool
	// Wordless says that the check also accepts a reply without text that only calls tools.
	Wordless bool
	// LastReply says that the check looks at how the last reply was made, not at its text.
	LastReply bool
	// Form says that the check requires a form that usually every reply of a conversation must have.
	Form bool
	// Clean says why the check passes, if it passes because something bad is missing. Opposite is the hint for authors
	// who want it to be there. See warnTurned.
	Clean    Clean
	Opposite string
	// Shares says that the score is the share of the required texts that are there.
	Shares bool
	// Decides says that the check has its own limit, independent of its score; see Finding.Holds.
	Decides bool
	// AnyOf names parameters of which at least one must be given.
	AnyOf []string
	// Presets are defaults of text parameters that depend on the name: name → parameter → text.
	Presets map[string]map[string]string

	custom bool // the check of a Go program

	layout func() *layout
	build  func(*binder) Check
}

// params is the typed parameter struct of a check. Build is called while the files are loaded, once for each use of the
// check, and only with parameters that have valid types and bounds. It reports further problems to b.
type params interface {
	Build(b *binder) Check
}

// define declares a check whose parameters are P.
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

// plain declares a check that is just its parameters.
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

// Names returns all names of the check, the canonical one first.
func (d *Def) Names() []string {
	return slices.Concat([]string{d.Name}, d.Aliases, d.SessionNames)
}

// Params describes the parameters in the order of the documentation.
func (d *Def) Params() []Param {
	fields := d.layout().fields
	out := make([]Param, len(fields))
	for i := range fields {
		out[i] = fields[i].Param
	}
	return out
}

// Family is a group of checks in the documentation.
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

// Families returns the families in the order of the documentation.
func Families() []Family {
	return []Family{
		FamilyContent, FamilyJSON, FamilyTools, FamilyAgents, FamilyWorkflow, FamilyMedia, FamilyJudge, FamilyRAG,
		FamilySafety, FamilyExternal, FamilyBudget, FamilyMeta, FamilyBehaviour, FamilyTrace, FamilyCombined,
	}
}

// Prompt is the default prompt of a check for judges. It is zero for checks without a judge or without criteria.
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

// Surfaces is a set of surfaces that can use a check.
type Surfaces uint8

// The surfaces.
const (
	OnAssertion Surfaces = 1 << iota
	OnGuardrail
	OnEval
)

// Everywhere is the set of all surfaces.
const Everywhere = OnAssertion | OnGuardrail | OnEval

// Scope is the part of a conversation that a check looks at.
type Scope uint8

// The scopes.
const (
	AsWritten   Scope = iota // the turn in a turn assertion, else the conversation
	WholeAlways              // always the conversation
)

// Needs says what a check needs to judge. It decides the order of checks, the groups of evals, and whether there is
// anything to judge.
type Needs uint16

// The needs.
const (
	NeedsReply     Needs = 1 << iota // the text of a reply
	NeedsCalls                       // the tool calls
	NeedsUsage                       // time, tokens or cost
	NeedsMedia                       // images, sounds and videos
	NeedsWorkflow                    // the state of a workflow
	NeedsCompute                     // much computation, but nothing outside the process
	NeedsEmbedding                   // an embedding model
	NeedsTool                        // runs a tool
	NeedsProcess                     // runs a program
	NeedsNetwork                     // calls an endpoint
	NeedsModel                       // calls a language model
)

const outside = NeedsTool | NeedsProcess | NeedsNetwork | NeedsModel

// The groups of evals that name none themselves.
const (
	GroupDefault  = "default"
	GroupFast     = "fast-running"
	GroupLong     = "long-running"
	GroupExternal = "external"
)

// Outside reports whether the check uses anything outside the process.
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

// Cost orders checks for running: cheap checks first, then those that take time, then those that leave the process, and
// last those that pay per token.
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
