package checks

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonquery"
	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
)

// Compiler turns checks as written into checks that run. Its zero value is ready. It is safe for concurrent use, and
// one Compiler for a whole suite builds every regular expression, schema and path only once.
type Compiler struct {
	// Lenient makes unknown parameters warnings, for files that were written for another tool.
	Lenient bool
	// Custom are checks of a Go program; nil: none.
	Custom *Table

	regexps cache[*regexp.Regexp]
	schemas cache[*jsonschema.Schema]
	queries cache[*jsonquery.Query]

	handlers sync.Map // *scenario.Handler → *Spelling
	equals   sync.Map // wording → *Compiled
}

func (c *Compiler) regexp(text string) (*regexp.Regexp, error) {
	return c.regexps.get(text, regexp.Compile)
}

// Compiled is a check of a suite, ready to judge. It is immutable and safe for concurrent use. It keeps only texts of
// the file, and shares what many checks have in common, because a suite may hold a hundred thousand checks.
type Compiled struct {
	*Spelling // with the name that its author wrote
	*Terms
	Check Check
	Pos   diag.Pos // of the type

	uses *[]NameUse // nil: none, as in nearly every check
}

// Needs is what the check needs with its parameters. A combined check needs everything that its parts need.
func (c *Compiled) Needs() Needs {
	if own, ok := c.Check.(interface{ Needs() Needs }); ok {
		return own.Needs()
	}
	return c.Def.Needs
}

// Sends lists the headers with credentials that the check sends, and their destination; nil and "" for a check that
// calls no endpoint.
func (c *Compiled) Sends(getenv func(string) (string, bool)) (headers map[string]string, to string) {
	if own, ok := c.Check.(interface {
		sends(getenv func(string) (string, bool)) (map[string]string, string)
	}); ok {
		return own.sends(getenv)
	}
	return nil, ""
}

// Filled are the texts of the check in which ${NAME} is replaced by an environment variable; nil for a check that calls
// no endpoint.
func (c *Compiled) Filled() []string {
	if own, ok := c.Check.(interface{ filled() []string }); ok {
		return own.filled()
	}
	return nil
}

// Nested are the parts of a combined check, in the order of the file; nil for any other check.
func (c *Compiled) Nested() []*Compiled {
	if whole, ok := c.Check.(interface{ nested() []*Compiled }); ok {
		return whole.nested()
	}
	return nil
}

// Terms are the keys of a check other than its parameters.
type Terms struct {
	Message string // the label; may be empty
	When    *When  // nil: always

	MinScore, MaxScore, PassThreshold *float64 // nil: not given

	MustPass bool // an eval that passes by the check's own rule when it has no MinScore
	Wrapped  bool // the check has the long spelling
}

var noTerms = &Terms{}

func (t Terms) shared() *Terms {
	if t == *noTerms {
		return noTerms
	}
	return &t
}

// Compile builds one check. All its problems go to d; the result is nil then. The result is also nil, without a
// problem, when spec.Unknown is set: the types of the project must be known first.
func (c *Compiler) Compile(spec *scenario.Check, d *diag.List) *Compiled {
	worded := wordingOf(spec)
	if before := c.compiledBefore(worded, spec); before != nil {
		return before
	}
	var problems diag.List
	alone, open := spec.Alone()
	for _, text := range open {
		problems.Errorf(spec.ParamsPos, 1, "unknown-variable", "%s: %s", spec.Type, text).Hint =
			`nothing fills in variables here; for the braces themselves write \{{`
	}
	own := &declared{handlers: spec.Handlers, early: spec.Early, filled: spec.Filled}
	r := &node.Reader{File: spec.Pos.File, Diags: &problems, Lenient: c.Lenient}
	k := &compilation{c: c, spec: alone, own: own, r: r}
	out := k.compile()
	k.warnBlankPlaces()
	if spec.Unknown = own.unknown; own.unknown {
		return nil
	}
	remarks := problems.Sorted()
	for _, p := range remarks {
		d.Add(p)
	}
	if problems.Errors() > 0 {
		return nil
	}
	if len(remarks) == 0 && out != nil {
		c.keep(worded, out)
	}
	return out
}

// compilation is the compilation of one check.
type compilation struct {
	c      *Compiler
	spec   *scenario.Check
	own    *declared
	r      *node.Reader
	limits limits
	uses   []NameUse

	idle    []vacuous
	negated bool // an odd number of the checks around it reverse its outcome
	turned  bool // an odd number of the checks around it require a low score, by reversing it or by a max_score
	around  bool // an odd number of nots are directly around it, whether or not a max_score reverses each
	scored  bool // a check around it has thresholds of its own, so partial scores matter
	// lets is the highest score of this check at which the not around it still passes, for a not with a min_score. nil:
	// its partial scores do not matter, or matter in another way.
	lets *float64
	// least is the min_score of a combination around it, which parts without thresholds have to reach. nil: none.
	least *float64
	depth int // the number of checks around it
}

// written is a check split into its parts, from either spelling.
type written struct {
	name  string
	pos   diag.Pos
	width int
	body  *node.Node // parameters; nil: none
	at    diag.Pos   // position of the parameters
}

func (k *compilation) compile() *Compiled {
	w := written{name: k.spec.Type, pos: k.spec.Pos, width: utf8.RuneCountInString(k.spec.Type), body: k.spec.Params}
	w.at = k.spec.ParamsPos
	if w.at.Line == 0 {
		w.at = w.pos
	}
	k.limits.beside(k)
	when := k.when()
	ok := true
	if w.name == scenario.Wrapper {
		w, ok = k.unwrap(w)
	}
	if !ok {
		return nil
	}
	e, ok := k.resolve(w)
	if !ok {
		return nil
	}
	check := k.build(e, w)
	k.limits.verify(k, w)
	k.warnVacuous(check, w)
	k.warnMet(check, when, w)
	terms := Terms{
		Message: k.limits.message, When: when, MinScore: k.limits.min, MaxScore: k.limits.max,
		PassThreshold: k.spec.PassThreshold, MustPass: k.spec.MustPass, Wrapped: k.spec.Type == scenario.Wrapper,
	}
	out := &Compiled{Spelling: e, Terms: terms.shared(), Check: check, Pos: k.spec.Pos}
	if uses := k.uses; len(uses) > 0 {
		out.uses = &uses // &k.uses would keep k alive
	}
	if k.spec.Surface == scenario.Guardrail && check != nil && out.Message != "" && out.Effect() == Records {
		k.r.Diags.Warnf(w.pos, w.width, "unused-message",
			"%s: as a guardrail this check only records that it fired; its message is never said", e.Type).Hint =
			"content_excludes, safety checks and judges replace the reply, max_length cuts it"
	}
	return out
}

// build reads the parameters and makes the check; nil after a problem.
func (k *compilation) build(e *Spelling, w written) Check {
	body, ok := k.body(w)
	if !ok {
		return nil
	}
	b := &binder{c: k.c, own: k.own, r: k.r, def: e.Def, name: e.Type, at: w.at, read: map[string]*node.Node{}}
	b.negated, b.depth = k.negated != (e.Def == notDef), k.depth+1
	b.body = k.limits.take(k, e.Type, body, e.Def.layout().index)
	b.turned = k.turned != (e.Def == notDef) != k.limits.passesLowOnly()
	b.around = e.Def == notDef && k.around == k.limits.passesLowOnly()
	b.scored = k.scored || k.limits.min != nil || k.limits.max != nil
	switch open := k.limits.min == nil && k.limits.max == nil; {
	case e.Def == notDef && !k.scored && k.limits.max == nil && !open:
		b.lets = new(1 - *k.limits.min)
	case (e.Def == allOfDef || e.Def == anyOfDef) && open:
		b.lets, b.least = k.lets, k.least
	case e.Def == allOfDef || e.Def == anyOfDef:
		b.least = k.limits.min
	}
	check := e.Def.build(b)
	b.warnBannedPatterns(check)
	k.warnTurned(e, check, w, b)
	k.warnLoosened(check, w)
	k.uses, k.idle = append(k.uses, b.uses...), append(k.idle, b.vacuous...)
	return check
}

// body returns the parameters as a mapping, or nil when none were given.
func (k *compilation) body(w written) (*node.Node, bool) {
	if node.IsNull(w.body) {
		return nil, true
	}
	if w.body.Kind != node.Map {
		d := k.r.Errorf(w.body, "wrong-type", "%s: params must be a map of parameters", w.name)
		if e := k.c.Custom.find(w.name); e != nil {
			d.Hint = "parameters: " + keys.Listed(e.Def.layout().list)
		}
		return nil, false
	}
	return w.body, true
}

// unwrap splits a check in its long spelling.
func (k *compilation) unwrap(w written) (written, bool) {
	body, ok := k.body(w)
	if !ok {
		return w, false
	}
	inner := written{pos: w.pos, at: w.at}
	known := keys.Names(scenario.WrapperKeys(k.spec.Surface))
	if body != nil {
		ok = k.r.Fields(body, scenario.Wrapper, known, func(key string, _, v *node.Node) {
			switch key {
			case "eval_type":
				inner.name, _ = k.r.Name(v, "eval_type")
				inner.pos, inner.width = k.r.Pos(v), utf8.RuneCountInString(v.Value)
			case "eval_params":
				inner.body, inner.at = v, k.r.Pos(v)
			default:
				k.limits.set(k, scenario.Wrapper, key, v)
			}
		})
	}
	switch inner.name {
	case "":
		k.r.Diags.Errorf(w.at, 1, "missing-parameter", `%s: missing parameter "eval_type" (name of a check)`,
			scenario.Wrapper)
	case scenario.Wrapper:
		k.r.Diags.Errorf(inner.pos, inner.width, "unknown-check", "%s cannot wrap itself", scenario.Wrapper)
	default:
		return inner, ok
	}
	return inner, false
}

// resolve finds the check by name, and reports a name without a check.
func (k *compilation) resolve(w written) (*Spelling, bool) {
	if e := k.c.Custom.find(w.name); e != nil {
		return e, true
	}
	if k.own.early {
		k.own.unknown = true
		return nil, false
	}
	if h := k.own.handlers[w.name]; h != nil {
		return k.handler(h), true
	}
	d := k.r.Diags.Errorf(w.pos, w.width, "unknown-check", "unknown check %q", w.name)
	d.Hint = "`arena checks` lists all of them"
	nearest := func(name string) string { return diag.Nearest(name, k.names()) }
	switch meant := Meant(w.name, nearest); {
	case strings.HasSuffix(meant, "?"):
		d.Hint = meant + " " + d.Hint
	case meant != "":
		d.Hint = meant + "; " + d.Hint
	}
	return nil, false
}

// take reads the keys of the surface and returns the rest. own are the parameters of the check itself.
func (l *limits) take(k *compilation, name string, body *node.Node, own map[string]int) *node.Node {
	if body == nil {
		return nil
	}
	terms := scenario.Terms(k.spec.Surface)
	rest := *body
	rest.Content = make([]*node.Node, 0, len(body.Content))
	for i := 0; i+1 < len(body.Content); i += 2 {
		key, v := body.Content[i], body.Content[i+1]
		if _, mine := own[key.Value]; mine || keys.Find(key.Value, terms) == nil {
			rest.Content = append(rest.Content, key, v)
			continue
		}
		l.set(k, name, key.Value, v)
	}
	return &rest
}
