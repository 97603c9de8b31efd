package checks

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/scenario"
)

// binder reads the parameters of one check into its typed struct. For Build it is the place where the check is used.
type binder struct {
	c    *Compiler
	own  *declared
	r    *node.Reader
	def  *Def
	name string // of the check, as written
	at   diag.Pos
	body *node.Node            // the parameters without the keys of the surface; nil: none
	read map[string]*node.Node // canonical parameter → the node of its value

	uses    []NameUse
	vacuous []vacuous

	patterns []givenPattern
	several  []several

	negated bool // as for checks within it; see compilation
	turned  bool // the same
	around  bool // the same
	scored  bool // the same
	lets    *float64
	least   *float64
	depth   int // the number of checks around those within it
}

// decode fills a pointer to a parameter struct.
func (b *binder) decode(l *layout, dst any) bool {
	return b.fill(l, b.body, "", reflect.ValueOf(dst).Elem())
}

// anyOf reports an error when none of some parameters is given.
func (b *binder) anyOf(names []string) bool {
	if len(names) == 0 || slices.ContainsFunc(names, func(name string) bool { return b.read[name] != nil }) {
		return true
	}
	b.missing(b.body, "%s: needs %s", b.name, say.Alternatives(names))
	return false
}

// errorf reports a problem with the value of a parameter.
func (b *binder) errorf(param, code, format string, args ...any) *diag.Diagnostic {
	return b.r.Errorf(b.read[param], code, b.name+": "+format, args...)
}

// warnf warns about the value of a parameter.
func (b *binder) warnf(param, code, format string, args ...any) *diag.Diagnostic {
	return b.r.Warnf(b.read[param], code, b.name+": "+format, args...)
}

// fill reads a mapping into a struct. path is the path of the mapping within the parameters; "" is the parameters
// themselves.
func (b *binder) fill(l *layout, n *node.Node, path string, dst reflect.Value) bool {
	if n != nil && n.Kind != node.Map {
		return b.r.Each(n, path, nil) // reports the problem
	}
	given, ok := b.collect(l, n, path)
	for i := range l.fields {
		f := &l.fields[i]
		value := b.choose(f, given, true)
		if path == "" && value != nil {
			b.read[f.Name] = value
		}
		target := dst.FieldByIndex(f.index)
		switch {
		case value != nil:
			what := b.what(path, f.Name)
			fits := f.codec.decode(b, value, what, target)
			if !fits {
				keys.Explain(b.r, f.Name, f.Shape, value)
			}
			ok = fits && b.means(f, value, what, given, l) && ok
			b.checkPatterns(f, value, what)
			if f.all != "" && value.Kind == node.List && len(value.Content) > 1 {
				b.several = append(b.several, several{value, f.Name, f.all})
			}
		case f.Required:
			d := b.missing(n, "%s: missing parameter %q (%s)%s", b.name, f.Name, f.Shape.Label(), within(path))
			d.Hint = "add " + keys.Sample(f.Name, f.Shape)
			if n == nil {
				d.Hint = "write params: {" + keys.Sample(f.Name, f.Shape) + "} below the type"
			}
			ok = false
		case path == "" && b.preset(f) != "":
			target.SetString(b.preset(f))
		case f.codec.preset != nil:
			f.codec.preset(target)
		}
	}
	return ok
}

// preset returns the default of a parameter under the name that the check has here; "" is none.
func (b *binder) preset(f *field) string {
	if b.def == nil {
		return ""
	}
	return b.def.Presets[b.name][f.Name]
}

// collect maps the parameters to their nodes, and reports unknown keys.
func (b *binder) collect(l *layout, n *node.Node, path string) (map[string]*node.Node, bool) {
	given, ok := map[string]*node.Node{}, true
	if n == nil {
		return given, true
	}
	walked := b.r.Each(n, path, func(key string, k, v *node.Node) {
		if _, known := l.index[key]; known {
			given[key] = v
			return
		}
		ok = b.unknown(l, k, path) && ok
	})
	return given, ok && walked
}

// choose returns the value under the canonical name, else under the first alias. With tell it warns of the values that
// it ignores. An empty value under the canonical name is replaced by that of an alias.
func (b *binder) choose(f *field, given map[string]*node.Node, tell bool) *node.Node {
	var taken *node.Node
	var as string
	for _, key := range f.Spellings() {
		v := given[key]
		switch {
		case v == nil:
		case taken == nil || holdsNothing(taken) && !holdsNothing(v):
			taken, as = v, key
		case tell:
			b.r.Warnf(v, "ignored-parameter", "%s: %q is ignored because %q is given too", b.name, key, as)
		}
	}
	return taken
}

func holdsNothing(n *node.Node) bool {
	return node.IsNull(n) || n.Kind == node.List && len(n.Content) == 0
}

// unknown reports an unknown key. Under Lenient that is a warning, and the result is true.
func (b *binder) unknown(l *layout, k *node.Node, path string) bool {
	report := b.r.Errorf
	if b.r.Lenient {
		report = b.r.Warnf
	}
	d := report(k, "unknown-parameter", "%s: unknown parameter %q%s", b.name, k.Value, within(path))
	names, terms := keys.Names(l.list), keys.Names(scenario.Terms(scenario.TurnAssertion))
	if path == "" {
		names = append(names, terms...)
	}
	near := cmp.Or(otherName(k.Value, names), diag.Nearest(k.Value, names))
	inWords := k.Value == "max_words" || k.Value == "min_words"
	if inWords {
		near = "" // max_words is not max_chars
	}
	switch {
	case path == "" && keys.Find(k.Value, scenario.CheckKeys()) != nil:
		d.Hint = `write it beside "params", not inside`
	case k.Value == "expect_match" && path == "":
		d.Hint = "a text that must not come is forbidden by content_excludes; regex takes expect_match"
	case k.Value == "ignore_case" || k.Value == "case_insensitive" || k.Value == "ignoreCase":
		d.Hint = "write case_sensitive: false, where the check has that"
	case slices.Contains(terms, near):
		d.Hint = `did you mean "` + near + `"?`
	case near != "":
		f := &l.fields[l.index[near]]
		d.Hint = `did you mean "` + near + `" (` + f.Shape.Label() + `)?`
	case inWords:
		d.Hint = "words are counted by the check word_count"
	case len(l.fields) == 0:
		d.Hint = "it takes no parameters"
	default:
		d.Hint = "parameters: " + keys.Listed(l.list)
	}
	return b.r.Lenient
}

// otherName is the parameter, of those that are known, for which other tools and other checks have a name; "" is none.
func otherName(name string, known []string) string {
	for _, meant := range otherNames[name] {
		if slices.Contains(known, meant) {
			return meant
		}
	}
	return ""
}

var otherNames = map[string][]string{
	"threshold": {"min_score"}, "score": {"min_score"},
	"args": {"expected_args"}, "arguments": {"expected_args", "args"}, "params": {"expected_args"},
	"value": {"patterns", "pattern", "criteria"}, "values": {"patterns"}, "text": {"patterns", "pattern", "value"},
	"substring": {"patterns"}, "substrings": {"patterns"}, "words": {"patterns"}, "keywords": {"patterns"},
	"contains": {"patterns"}, "phrases": {"patterns"}, "strings": {"patterns"}, "texts": {"patterns"},
	"expected": {"value", "patterns"}, "expected_output": {"value", "reference"}, "regex": {"pattern"},
	"path": {"expression"}, "query": {"expression"}, "jsonpath": {"expression"}, "json_path": {"expression"},
	"max_length": {"max"}, "min_length": {"min"}, "max_chars": {"max"}, "length": {"max"}, "limit": {"max"},
	"name": {"tool_name", "tools", "tool"}, "function": {"tool_name", "tools", "tool"},
	"prompt": {"criteria"}, "rubricPrompt": {"prompt"}, "question": {"criteria"}, "instructions": {"criteria"},
	"schema_file": {"schema"}, "json_schema": {"schema"}, "grader": {"judge"}, "evaluator": {"judge"},
	"ms": {"max_ms"}, "seconds": {"max_seconds", "max_ms"}, "max_latency": {"max_ms"}, "max_latency_ms": {"max_ms"},
	"usd": {"max_cost_usd"}, "cost": {"max_cost_usd"}, "max_cost": {"max_cost_usd"}, "budget": {"max_cost_usd"},
}

// missing reports a missing parameter at the mapping, or at the check when there is no mapping.
func (b *binder) missing(n *node.Node, format string, args ...any) *diag.Diagnostic {
	at := b.at
	if n != nil {
		at = b.r.Pos(n)
	}
	return b.r.Diags.Errorf(at, 1, "missing-parameter", format, args...)
}

func (b *binder) what(path, name string) string {
	if path == "" {
		return b.name + ": " + name
	}
	return path + "." + name
}

func within(path string) string {
	if path == "" {
		return ""
	}
	_, place, _ := strings.Cut(path, ": ")
	return " in " + place
}
