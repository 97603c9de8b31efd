package checks

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
)

// eachField visits every parameter of every check, nested ones included. wrap puts a value into the parameters.
func eachField(visit func(check, path string, l *layout, f *field, wrap func(any) map[string]any)) {
	var walk func(check, path string, l *layout, wrap func(map[string]any) map[string]any)
	walk = func(check, path string, l *layout, wrap func(map[string]any) map[string]any) {
		for i := range l.fields {
			f := &l.fields[i]
			put := func(v any) map[string]any { return wrap(map[string]any{f.Name: v}) }
			visit(check, path+f.Name, l, f, put)
			if f.codec.inner != nil {
				walk(check, path+f.Name+".", f.codec.inner, func(m map[string]any) map[string]any { return put([]any{m}) })
			}
		}
	}
	for _, d := range Builtin() {
		walk(d.Name, "", d.layout(), func(m map[string]any) map[string]any { return m })
	}
}

// TestTextParametersSayWhatTheyMean: every text parameter declares its kind, so that unknown names and impossible texts
// are found.
func TestTextParametersSayWhatTheyMean(t *testing.T) {
	t.Parallel()
	namely := regexp.MustCompile(`tool|agent|skill|state|judge|provider|guardrail|parallel|branch|step$|^order$|sequence`)
	eachField(func(check, path string, l *layout, f *field, _ func(any) map[string]any) {
		texts := slices.Contains([]string{"text", "list of text", "map to text"}, f.Shape.Label())
		switch {
		case texts && f.Is == "":
			t.Errorf(`%s: %s is text and does not say what it means: add the tag is:"…"`, check, path)
		case texts && namely.MatchString(f.Name) && !f.Is.isName() && !slices.Contains(notNames, check+" "+path):
			t.Errorf("%s: %s looks like the name of something and is %q", check, path, f.Is)
		case strings.HasPrefix(f.Shape.Label(), "map to ") && strings.Contains(f.Name, "args") && f.Keys != ArgumentName &&
			check != "tool_exec":
			t.Errorf(`%s: %s is arguments: add the tags keys:"argument" of:"…"`, check, path)
		}
		kind := cmp.Or(f.Is, f.Keys)
		if _, of := l.index[f.Of]; kind != "" && !kind.known() || f.Is != "" && f.Keys != "" || (kind == ArgumentName) != of {
			t.Errorf("%s: %s is %q of %q", check, path, kind, f.Of)
		}
	})
}

// notNames are parameters that only look like names.
var notNames = []string{"role_violation agent_role"}

// odd are names, patterns and texts that nobody writes on purpose.
var odd = map[string][]string{
	"odd-name": {
		"cancel_order ", " cancel_order", "cancel_order\n", "cancel_\norder", "cancel_*", "cancel_order()", "\u200bcancel",
		"cancel\torder",
	},
	"odd-pattern": {"denied\n", "\bdenied\b", "a\nb", "a\x00"},
	"odd-text":    {"\bdenied\b", "a\x01b"},
}

// TestParametersThatCannotMatch: names, patterns and texts that cannot match are refused in every parameter.
func TestParametersThatCannotMatch(t *testing.T) {
	t.Parallel()
	tried := map[string]int{}
	eachField(func(check, path string, _ *layout, f *field, wrap func(any) map[string]any) {
		code := ""
		switch {
		case f.Is.isName() || f.Keys.isName():
			code = "odd-name"
		case f.Is.isSought():
			code = "odd-text"
		case strings.Contains(f.Shape.Label(), "regular expression") && f.codec.inner == nil:
			code = "odd-pattern"
		}
		for _, text := range odd[code] {
			for _, v := range []any{text, []any{"fine", text}, map[string]any{text: "x"}, map[string]any{"x": text}} {
				_, list := v.([]any)
				m, isMap := v.(map[string]any)
				_, key := m[text]
				keys := f.Keys.isName() && code == "odd-name"
				if list != strings.HasPrefix(f.Shape.Label(), "list") && !isMap || isMap != strings.HasPrefix(f.Shape.Label(), "map") ||
					isMap && key != keys {
					continue
				}
				tried[code]++
				_, problems := compileJSON(&Compiler{}, check, jsonvalue.Compact(wrap(v)), ScopeTurn, nil)
				if !has(problems, code) {
					t.Errorf("%s: %s: %q: %v", check, path, v, problems)
				}
			}
		}
	})
	for code := range odd {
		if tried[code] == 0 {
			t.Errorf("no %s was tried", code)
		}
	}
}

func has(problems []diag.Diagnostic, code string) bool {
	return slices.ContainsFunc(problems, func(p diag.Diagnostic) bool {
		return p.Code == code && p.Severity == diag.Error && p.Hint != ""
	})
}

// TestConditionsThatCannotMatch: the same in conditions, of a check and of nested ones.
func TestConditionsThatCannotMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key   string
		texts []string
		set   func(*scenario.When, string)
	}{
		{"tool_called", odd["odd-name"], func(w *scenario.When, s string) { w.ToolCalled = s }},
		{"tool_called_pattern", odd["odd-pattern"], func(w *scenario.When, s string) { w.ToolCalledPattern = s }},
	} {
		for _, text := range c.texts {
			when := &scenario.When{}
			c.set(when, text)
			if _, problems := compileJSON(&Compiler{}, "json_valid", "{}", ScopeTurn, when); !has(problems, "odd-condition") {
				t.Errorf("%s %q: %v", c.key, text, problems)
			}
			nested := map[string]any{"check": map[string]any{"type": "json_valid", "when": map[string]any{c.key: text}}}
			if _, problems := compileJSON(&Compiler{}, "not", jsonvalue.Compact(nested), ScopeTurn, nil); !has(problems, "odd-condition") {
				t.Errorf("nested %s %q: %v", c.key, text, problems)
			}
		}
	}
}

// TestTextsOfBlocks: a YAML block adds an invisible line end, which no reply has.
func TestTextsOfBlocks(t *testing.T) {
	t.Parallel()
	compile := func(check, key, body string) []diag.Diagnostic {
		var problems diag.List
		r := &node.Reader{File: "a.yaml", Diags: &problems}
		spec := &scenario.Check{Type: check, Pos: diag.Pos{File: "a.yaml", Line: 1, Col: 1}}
		spec.Params = node.Parse(r, []byte(key+": "+body))[0]
		(&Compiler{}).Compile(spec, &problems)
		return problems.Sorted()
	}
	n := 0
	eachField(func(check, path string, _ *layout, f *field, _ func(any) map[string]any) {
		if !f.Is.isSought() || strings.Contains(path, ".") {
			return
		}
		n++
		for body, want := range map[string]bool{
			"|\n  denied\n": true, ">\n  denied\n": true, "|-\n  denied\n": false, "\"denied\\n\"": false, "denied": false,
		} {
			if problems := compile(check, f.Name, body); has(problems, "odd-text") != want {
				t.Errorf("%s: %s: %q: %v", check, path, body, problems)
			}
		}
	})
	if n == 0 {
		t.Error("no text was tried")
	}
}

// TestNamesAreNoted: every name in the examples of a check is noted for the planner, with its position.
func TestNamesAreNoted(t *testing.T) {
	t.Parallel()
	given := map[string]bool{}
	for _, d := range Builtin() {
		for _, spec := range exampleSpecs(t, d) {
			var problems diag.List
			e := index()[spec.Type]
			if e == nil || len(e.Def.layout().fields) == 0 {
				continue
			}
			c := (&Compiler{}).Compile(spec, &problems)
			if c == nil {
				continue
			}
			noted := map[string]bool{}
			for _, use := range c.Names() {
				noted[string(use.Kind)+" "+use.Name] = use.Pos.Line > 0 && use.Param != "" && (use.Of != "") == (use.Kind == ArgumentName)
			}
			namesIn(e.Def.layout(), spec.Params, "", func(path string, kind Kind, name string) {
				given[spec.Type+" "+path] = true
				if !noted[string(kind)+" "+name] {
					t.Errorf("%s: %s: %s %q is not noted", spec.Type, path, kind, name)
				}
			})
		}
	}
	eachField(func(check, path string, _ *layout, f *field, _ func(any) map[string]any) {
		asks := slices.Contains(parentNames, f.Name)
		if (f.Is.isName() || f.Keys.isName()) && !asks && !given[check+" "+path] {
			t.Errorf("%s: no example gives %s", check, path)
		}
	})
}

// parentNames are parameters that all judges share: one example is enough.
var parentNames = []string{"judge", "model", "provider", "prompt", "context_field", "context_from_tool"}

// namesIn visits the names in parameters.
func namesIn(l *layout, n *node.Node, path string, visit func(path string, kind Kind, name string)) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		at, known := l.index[n.Content[i].Value]
		if !known {
			continue
		}
		f, v := &l.fields[at], n.Content[i+1]
		switch {
		case f.codec.inner != nil:
			for _, item := range textsOf(v) {
				namesIn(f.codec.inner, item, path+f.Name+".", visit)
			}
		case f.Is.isName():
			for _, text := range textsOf(v) {
				visit(path+f.Name, f.Is, text.Value)
			}
		case f.Keys.isName():
			for _, key := range node.Keys(v) {
				visit(path+f.Name, f.Keys, key)
			}
		}
	}
}

// TestChecksSayWhatTheyAreAbout: a check of an optional part of a project declares it.
func TestChecksSayWhatTheyAreAbout(t *testing.T) {
	t.Parallel()
	eachField(func(check, path string, _ *layout, f *field, _ func(any) map[string]any) {
		d, _ := Lookup(check)
		want := map[Kind]Part{SkillName: SkillPart, StepName: CompositionPart}[f.Is]
		if want != "" && d.About != want {
			t.Errorf("%s: %s names a %s, and the check is about %q", check, path, f.Is, d.About)
		}
	})
	for _, d := range Builtin() {
		if d.Family == FamilyWorkflow && d.About == "" {
			t.Errorf("%s is not about any part of a project", d.Name)
		}
	}
}
