package scenario

import (
	"cmp"
	"slices"
	"unique"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// checkFields are the keys of a check in a list of its surface. Its parameters are read separately.
var checkFields = table("a check", func() rows[Check] {
	return append(checkRows(func(c *Check) *Check { return c }),
		share("pass_threshold", func(c *Check) (**float64, *diag.Pos) { return &c.PassThreshold, &c.PassAt }).
			doc("The share of trials that must pass, of each variant by itself; 1 when left out."))
}).strays(underParams).shows("{type: contains, params: {patterns: […]}}")

// checkRows are the keys of every check.
func checkRows[T any](at func(*T) *Check) rows[T] {
	return rows[T]{
		checkType(at),
		checkParams(at),
		str(message.Name, func(t *T) *string { return &at(t).Message }).doc(message.Doc),
		custom("description", text, func(d *decoder, t *T, v *node.Node) {
			at(t).Description, _ = d.String(v, "description")
			at(t).DescribedAt = d.Pos(v)
		}).doc("The same as message."),
		objectPtr("when", whenFields, func(t *T) **When { return &at(t).When }).
			doc("Skips the check, as passed, unless all of this holds for the tool calls in scope."),
		share(minScore.Name, func(t *T) (**float64, *diag.Pos) { return &at(t).MinScore, &at(t).MinAt }).doc(minScore.Doc),
		share(maxScore.Name, func(t *T) (**float64, *diag.Pos) { return &at(t).MaxScore, &at(t).MaxAt }).doc(maxScore.Doc),
	}
}

// underParams says where an unknown key of a check belongs.
func underParams(key string) string {
	return belowParams(key, "type", "params", "message", "when", "pass_threshold", "min_score", "max_score")
}

// belowParams is underParams for a map that has these keys itself.
func belowParams(key string, own ...string) string {
	if hint := diag.DidYouMean(key, own); hint != "" {
		return hint
	}
	switch key {
	case "enabled", "disabled", "skip":
		return "a check cannot be switched off: leave it out, or write skip in the scenario"
	case "negate", "negated", "not", "invert":
		return "write the check not around it, or one that forbids, such as content_excludes"
	case "weight":
		return "checks have no weight: each of them must pass"
	}
	return "parameters of a check go below params: {" + key + ": …}; `arena checks NAME` lists those of each"
}

// share is a field with a number from 0 to 1 whose position is kept.
func share[T any](name string, at func(*T) (**float64, *diag.Pos)) *field[T] {
	return custom(name, unit, func(d *decoder, t *T, v *node.Node) {
		if f, ok := unit.Float(d, v, name); ok {
			number, pos := at(t)
			*number, *pos = &f, d.Pos(v)
		}
	})
}

func checkType[T any](at func(*T) *Check) *field[T] {
	return custom("type", text, func(d *decoder, t *T, v *node.Node) {
		c := at(t)
		c.Pos = d.Pos(v)
		name, _ := d.Name(v, "type")
		c.Type = intern(name)
	}).must("write the check as type: and params:").doc("Which check; `arena checks` lists them.")
}

// checkParams keeps the raw node: only the check itself knows its parameters.
func checkParams[T any](at func(*T) *Check) *field[T] {
	return custom("params", rawMap, func(d *decoder, t *T, v *node.Node) {
		c := at(t)
		c.ParamsPos = d.Pos(v)
		if !node.IsNull(v) {
			c.Params = v
		}
	}).orNull().doc("The parameters of the check.")
}

// whenFields are the conditions of a check. The pattern is validated when the check is compiled.
var whenFields = table("when", func() rows[When] {
	return rows[When]{
		custom("tool_called", text, func(d *decoder, w *When, v *node.Node) {
			w.ToolCalled, _ = d.Name(v, "tool_called")
			w.ToolPos = d.Pos(v)
		}).doc("A tool of this name was called."),
		custom("tool_called_pattern", text, func(d *decoder, w *When, v *node.Node) {
			w.ToolCalledPattern, _ = d.Name(v, "tool_called_pattern")
			w.PatternPos = d.Pos(v)
		}).doc("A tool was called whose name matches this regular expression."),
		flag("any_tool_called", func(w *When) *bool { return &w.AnyToolCalled }).doc("Some tool was called."),
		integer("min_tool_calls", natural, func(w *When) *int { return &w.MinToolCalls }).
			doc("At least so many calls of tools were made."),
	}
})

// checks reads a list of checks for one surface and compiles each.
func (d *decoder) checks(n *node.Node, what string, surface Surface) []Placed {
	if n == nil || n.Kind != node.List {
		d.Items(n, what, nil) // reports it
		return nil
	}
	list := make([]Placed, 0, len(n.Content))
	for _, v := range n.Content {
		c := &Check{}
		if !checkFields.read(d, v, c) {
			continue
		}
		d.finish(c, surface)
		if d.compile != nil {
			list = append(list, Placed{Compiled: c.Compiled, Digest: c.Digest})
		} else {
			list = append(list, Placed{Compiled: c, Digest: c.Digest})
		}
		if c.Unknown {
			d.late[len(d.late)-1].place = &list[len(list)-1] // the list has enough capacity, so it never moves
		}
	}
	return list
}

// assertions is a field with the checks of a turn or a conversation. If two fields hold such checks, both apply.
func assertions[T any](name string, surface Surface, at func(*T) *[]Placed) *field[T] {
	return custom(name, listOf(checkFields), func(d *decoder, t *T, v *node.Node) {
		*at(t) = d.joined(*at(t), d.checks(v, name, surface))
	})
}

// joined joins lists of checks, including late ones.
func (d *decoder) joined(first, second []Placed) []Placed {
	if len(first) == 0 {
		return second
	}
	moved := map[*Placed]int{}
	for i := range first {
		moved[&first[i]] = i
	}
	for i := range second {
		moved[&second[i]] = len(first) + i
	}
	all := slices.Concat(first, second)
	for i := range d.late {
		if at, ok := moved[d.late[i].place]; ok {
			d.late[i].place = &all[at]
		}
	}
	return all
}

// finish completes and compiles a check that was read. Its parameters are not kept.
func (d *decoder) finish(c *Check, surface Surface) {
	c.Surface = surface
	if c.ParamsPos.Line == 0 {
		c.ParamsPos = c.Pos
	}
	d.swallowedParams(c.Params)
	d.cutParams(c.Params)
	if v := node.Get(c.Params, "message"); v != nil && v.Kind == node.Scalar && c.Message == "" {
		c.Message = v.Value
	}
	if c.Message != "" && c.Description != "" {
		d.Diags.Warnf(c.DescribedAt, 1, NoEffect, "description has no effect beside message").
			Hint = "write what both say as one of them: it is shown where the check fails"
	}
	c.Message = cmp.Or(c.Message, c.Description)
	if c.Digest = Digest(c); d.compile == nil || c.Type == "" || d.open(c) {
		return
	}
	c.Early = true
	d.compile(c, d.Diags)
	if c.Unknown {
		d.late = append(d.late, lateCheck{check: c})
		return
	}
	c.Params = nil
}

// intern shares one copy of words that occur in thousands of files.
func intern(s string) string { return unique.Make(s).Value() }
