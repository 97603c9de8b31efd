package scenario

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/digest"
	"github.com/arena-evals/arena/internal/node"
)

// OpenCheck is a check with placeholders. It is compiled once for each set of values. It replaces the value that
// Options.Compile returns for other checks, and is safe for concurrent use.
type OpenCheck struct {
	spec    Check // as written
	compile func(*Check, *diag.List)

	mu       sync.Mutex
	made     map[string]any // compiled checks, by the texts that were filled in; nil: compilation failed
	used     []any          // each once, since the last Reset
	rows     any            // for one of the rows; nil: no conversation has rows
	first    any            // the first one made; nil: none was
	reported map[diag.Diagnostic]bool

	ofRow map[string]rowForm       // compiled for rows, by the texts that were filled in
	own   map[diag.Diagnostic]bool // warnings of the check itself, independent of rows
}

// open makes an OpenCheck of a check with placeholders.
func (d *decoder) open(c *Check) bool {
	if d.places == nil { // a check on its own has no values; see Check.Alone
		return false
	}
	if c.Settled = !c.holdsBraces(); c.Settled {
		return false
	}
	o := &OpenCheck{spec: *c, compile: d.compile, made: map[string]any{}, reported: map[diag.Diagnostic]bool{}}
	o.spec.Settled = true
	c.Compiled = o
	c.Params = nil
	d.opens = append(d.opens, o)
	return true
}

func (c *Check) holdsBraces() bool {
	w := c.When
	return nodeHoldsBraces(c.Params) || holdsBraces(c.Message) ||
		w != nil && (holdsBraces(w.ToolCalled) || holdsBraces(w.ToolCalledPattern))
}

// Alone returns a check without a project, where no variables are known, with a problem for each placeholder.
func (c *Check) Alone() (settled *Check, problems []string) {
	if c.Settled || !c.holdsBraces() {
		return c, nil
	}
	return c.unfilled()
}

func (c *Check) unfilled() (settled *Check, problems []string) {
	own, _ := (&OpenCheck{spec: *c}).fillIn(&Values{}, nil, func(_ diag.Pos, _ int, f placeholderFault) {
		problems = append(problems, f.msg)
	})
	return &own, problems
}

// Pos is the position of the check.
func (o *OpenCheck) Pos() diag.Pos { return o.spec.Pos }

// Bind returns the check compiled for some values; nil after a problem, which is added to d once. who names the
// conversation in messages.
func (o *OpenCheck) Bind(v *Values, who string, d *diag.List) any {
	o.mu.Lock()
	defer o.mu.Unlock()
	var problems diag.List
	spec, key := o.fillIn(v, nil, func(pos diag.Pos, width int, f placeholderFault) {
		f.addTo(&problems, pos, width, o.spec.Type+": "+f.msg+who)
	})
	if problems.Errors() > 0 {
		o.report(&problems, d)
		return nil
	}
	made, known := o.made[key]
	if !known {
		made = o.compileWith(v, spec, &problems)
		o.made[key] = made
		o.report(&problems, d)
	}
	if made != nil && !slices.Contains(o.used, made) {
		o.used = append(o.used, made)
	}
	if o.first == nil {
		o.first = made
	}
	return made
}

// compileWith compiles the check. A placeholder alone is tried as a number where a number is required.
func (o *OpenCheck) compileWith(v *Values, spec Check, problems *diag.List) any {
	found := &diag.List{}
	o.compile(&spec, found)
	if plain := o.numbers(v, found); len(plain) > 0 {
		again, _ := o.fillIn(v, plain, func(diag.Pos, int, placeholderFault) {})
		second := &diag.List{}
		if o.compile(&again, second); second.Errors() == 0 {
			spec, found = again, second
		}
	}
	for _, p := range found.Sorted() {
		problems.Add(p)
	}
	if found.Errors() > 0 {
		return nil
	}
	return spec.Compiled
}

// numbers are the placeholders that are a whole value which must not be a text, or which must be one if the row has a
// number.
func (o *OpenCheck) numbers(v *Values, problems *diag.List) map[*node.Node]bool {
	wrong := map[diag.Pos]bool{}
	for _, p := range problems.Sorted() {
		if p.Code == "wrong-type" {
			wrong[diag.Pos{Line: p.Pos.Line, Col: p.Pos.Col}] = true
		}
	}
	plain := map[*node.Node]bool{}
	var visit func(n *node.Node)
	visit = func(n *node.Node) {
		if n.Kind == node.Scalar && wrong[diag.Pos{Line: int32(n.Line), Col: int32(n.Column)}] && aPlaceholder(n.Value) &&
			v.Shapes[n.Value[2:len(n.Value)-2]] == "" {
			plain[n] = true
		}
		for _, c := range n.Content {
			visit(c)
		}
	}
	if len(wrong) > 0 && o.spec.Params != nil {
		visit(o.spec.Params)
	}
	return plain
}

func aPlaceholder(text string) bool {
	inner, closed := strings.CutSuffix(text, "}}")
	inner, opened := strings.CutPrefix(inner, "{{")
	return closed && opened && isName(inner)
}

// fillIn returns the check with its placeholders replaced, and the values.
func (o *OpenCheck) fillIn(
	v *Values, plain map[*node.Node]bool, report func(diag.Pos, int, placeholderFault),
) (Check, string) {
	c := o.spec
	c.Digest = digest.Sum{} // it is the digest of the placeholders
	f := checkFiller{Values: v, plain: plain}
	f.faults = func(n *node.Node, list []placeholderFault) {
		for _, x := range list {
			pos := diag.Pos{File: c.ParamsPos.File, Line: int32(n.Line), Col: int32(n.Column)}
			report(pos, utf8.RuneCountInString(n.Value), x)
		}
	}
	if c.Params != nil {
		c.Params = f.node(c.Params)
		c.Filled = f.values
	}
	beside := func(text string, pos diag.Pos, read bool) string {
		out, faults := v.fill(text, true)
		faults = append(faults, v.structured(text, read)...)
		f.texts = append(f.texts, out)
		if pos.Line == 0 {
			pos = c.Pos
		}
		if len(faults) == 0 && text != "" && strings.TrimSpace(out) == "" {
			faults = []placeholderFault{emptyTextFault(text)}
		}
		for _, x := range faults {
			report(pos, 1, x)
		}
		return out
	}
	c.Message = beside(c.Message, c.Pos, true)
	if c.When != nil {
		when := *c.When
		when.ToolCalled = beside(when.ToolCalled, when.ToolPos, false)
		when.ToolCalledPattern = beside(when.ToolCalledPattern, when.PatternPos, false)
		c.When = &when
	}
	return c, strings.Join(f.texts, "\x00")
}

// report adds problems that were not reported before.
func (o *OpenCheck) report(problems, d *diag.List) {
	for _, p := range problems.Sorted() {
		if !o.reported[p] {
			o.reported[p] = true
			d.Add(p)
		}
	}
}

// Reset drops all bound values.
func (o *OpenCheck) Reset() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.used, o.rows = nil, nil
}

// OfRows is the check for one of the rows; nil: no conversation has rows.
func (o *OpenCheck) OfRows() any {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.rows
}

// Bound returns the check for each set of values, as compiled.
func (o *OpenCheck) Bound() []any {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.used)
}

// bound is the check for earlier values; nil: there are none.
func (o *OpenCheck) bound() any {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.first
}

// Sample is the check for some values. Its type does not depend on them. It is nil if none could be compiled.
func (o *OpenCheck) Sample() any {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.first != nil {
		return o.first
	}
	v := &Values{Vars: map[string]string{}}
	for _, name := range o.names() {
		v.Vars[name] = "x"
	}
	spec, _ := o.fillIn(v, nil, func(diag.Pos, int, placeholderFault) {})
	if made := o.compileWith(v, spec, &diag.List{}); made != nil {
		o.first = made
	}
	return o.first
}

// names are the placeholders in double braces anywhere in the check.
func (o *OpenCheck) names() []string {
	var names []string
	take := func(text string) { names = append(names, Placeholders(text)...) }
	take(o.spec.Message)
	if w := o.spec.When; w != nil {
		take(w.ToolCalled)
		take(w.ToolCalledPattern)
	}
	var visit func(n *node.Node)
	visit = func(n *node.Node) {
		if n.Kind == node.Scalar {
			take(n.Value)
		}
		for _, c := range n.Content {
			visit(c)
		}
	}
	if o.spec.Params != nil {
		visit(o.spec.Params)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
