package scenario_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
)

// planted is a check, as JSON, with a gap in the place of one text.
type planted struct {
	check string
	was   string // the original text
}

// gap is in the place of the text.
const gap = `"@@@"`

// with fills a text into the gap.
func (p planted) with(text string) string {
	quoted, _ := json.Marshal(text)
	return strings.ReplaceAll(p.check, gap, string(quoted))
}

// plant makes a check for every text in the examples of every check: in its parameters at any depth, its message and
// its conditions.
var plant = sync.OnceValue(func() []planted {
	var all []planted
	of := func(whole map[string]any) {
		texts(whole, nil, func(text string, set func(string)) {
			set(strings.Trim(gap, `"`))
			raw, err := json.Marshal(whole)
			set(text)
			if err != nil {
				panic(err)
			}
			all = append(all, planted{string(raw), text})
		})
	}
	for _, def := range checks.Builtin() {
		examples, err := def.Examples()
		if err != nil {
			panic(err)
		}
		for i := range examples {
			r := &node.Reader{Diags: &diag.List{}}
			check := r.Any(node.Parse(r, []byte(examples[i].Check))[0]).([]any)[0].(map[string]any)
			if examples[i].Want != checks.Refused && check["params"] != nil {
				of(map[string]any{"type": kind(def.Name), "params": check["params"]})
				break
			}
		}
	}
	of(map[string]any{
		"type": kind("contains"), "params": map[string]any{"patterns": []any{"a"}}, "message": "It says so.",
		"when": map[string]any{"tool_called": "get_order", "tool_called_pattern": "^get_"},
	})
	return all
})

// plantedOn are the checks that a surface accepts: guardrails have no conditions.
func plantedOn(surface int) []planted {
	if surfaces[surface].name != "guardrail" {
		return plant()
	}
	return slices.DeleteFunc(slices.Clone(plant()), func(p planted) bool { return strings.Contains(p.check, `"when"`) })
}

// kind is the name of a check, which is no place for a placeholder.
type kind string

// texts visits every text in a value that is not blank.
func texts(v any, set func(string), visit func(text string, set func(string))) {
	switch v := v.(type) {
	case string:
		if strings.TrimSpace(v) != "" && !strings.Contains(v, "{") {
			visit(v, set)
		}
	case []any:
		for i := range v {
			texts(v[i], func(s string) { v[i] = s }, visit)
		}
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			texts(v[key], func(s string) { v[key] = s }, visit)
		}
	}
}

// surfaces are the places of checks: how a check is written there, and the file with all of them.
var surfaces = []struct {
	name   string
	beside string // further keys of each check
	file   string
	key    string // below which they stand, with its indentation
}{
	{"turn", "", "scenario.yaml", "  turns:\n    - role: user\n      content: Hello\n      assertions:"},
	{"conversation", "", "scenario.yaml", "  turns: [{role: user, content: Hello}]\n  conversation_assertions:"},
	{"config", "", "config.arena.yaml", "  globals:\n   conversation_assertions:"},
	{"guardrail", `"enabled": true`, "prompt.yaml", "  validators:"},
	{"eval of the config", asEval, "config.arena.yaml", "  pack_evals:"},
	{"eval of a prompt", asEval, "prompt.yaml", "  evals:"},
	{"recording", "", "eval.yaml", "  recording: {path: talk.json, type: session}\n  assertions:"},
}

const asEval = `"trigger": "every_turn", "id": "e%d"`

// placed makes a project with checks on one surface and these variables.
func placed(t *testing.T, surface int, vars any, all []string) string {
	t.Helper()
	at := surfaces[surface]
	known, err := json.Marshal(vars)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"config.arena.yaml": "kind: Arena\nmetadata: {name: p}\nspec:\n  prompt_configs: [{id: p, file: prompt.yaml, vars: " +
			string(known) + "}]\n  providers: []\n  scenarios: [{file: scenario.yaml}]\n  evals: [{file: eval.yaml}]\n",
		"prompt.yaml":   "kind: PromptConfig\nmetadata: {name: p}\nspec:\n  task_type: p\n  system_template: You help.\n",
		"scenario.yaml": "kind: Scenario\nmetadata: {name: s}\nspec:\n  task_type: p\n",
		"eval.yaml":     "kind: Eval\nmetadata: {name: e}\nspec:\n  task_type: p\n",
		"talk.json":     "{}",
	}
	if at.file != "scenario.yaml" {
		files["scenario.yaml"] += "  turns: [{role: user, content: Hello}]\n"
	}
	if at.file != "eval.yaml" {
		files["eval.yaml"] += "  recording: {path: talk.json, type: session}\n"
	}
	var b strings.Builder
	b.WriteString(files[at.file] + at.key + "\n")
	for i, check := range all {
		if at.beside != "" {
			check = "{" + strings.ReplaceAll(at.beside, "%d", strconv.Itoa(i)) + "," + check[1:]
		}
		b.WriteString("        - " + check + "\n")
	}
	files[at.file] = b.String()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// seen returns the compiled texts, by the line of the check.
func seen(dir string) (map[int32]string, []diag.Diagnostic) {
	var mu sync.Mutex
	got := map[int32]string{}
	_, problems := scenario.Load(scenario.Options{Dir: dir, Compile: func(c *scenario.Check, _ *diag.List) {
		r := &node.Reader{Diags: &diag.List{}}
		when := c.When
		if when != nil {
			when = &scenario.When{ToolCalled: when.ToolCalled, ToolCalledPattern: when.ToolCalledPattern}
		}
		raw, _ := json.Marshal([]any{c.Message, when, r.Any(c.Params)})
		mu.Lock()
		defer mu.Unlock()
		got[c.Pos.Line] = string(raw)
		c.Compiled = true
	}})
	return got, problems.Sorted()
}

// TestPlaceholdersEverywhere: on every surface and in every text of a check, a known placeholder is replaced before the
// check is compiled, and an unknown or foreign one is refused at its line.
func TestPlaceholdersEverywhere(t *testing.T) {
	t.Parallel()
	if n := len(plant()); n < 140 {
		t.Fatalf("only %d texts in the examples", n)
	}
	for s := range surfaces {
		t.Run(surfaces[s].name, func(t *testing.T) {
			t.Parallel()
			vars := map[string]string{"word": "denied"}
			var spelt, open []string
			for i, p := range plantedOn(s) {
				name := fmt.Sprintf("v%d", i)
				vars[name] = p.was
				spelt, open = append(spelt, p.with(p.was)), append(open, p.with("{{"+name+"}}"))
			}
			want, _ := seen(placed(t, s, vars, spelt))
			got, problems := seen(placed(t, s, vars, open))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%v (-spelt out +placeholders):\n%s", problems, diff)
			}
			for _, form := range []string{
				"{{wrod}}", "{{ word }}", "{{.word}}", "{{ vars.word }}", "{{word|upper}}", "{{#if word}}x{{/if}}",
				"{{if .word}}x{{end}}", "{{word}", "${word}", "{word}", "{% if word %}x{% endif %}", "a {{{wrod}}} b",
				"{{word()}}", "{{nothing}}",
			} {
				refused(t, s, form)
			}
		})
	}
}

// refused expects that a text is compiled nowhere on a surface, and reported at each of its lines.
func refused(t *testing.T, surface int, form string) {
	t.Helper()
	var all []string
	for _, p := range plantedOn(surface) {
		all = append(all, p.with(form))
	}
	got, problems := seen(placed(t, surface, map[string]string{"word": "denied", "nothing": ""}, all))
	if len(got) > 0 {
		t.Errorf("%s: %d checks were compiled: %v", form, len(got), got)
	}
	lines := map[int32]bool{}
	for _, p := range problems {
		switch p.Code {
		case "unknown-variable", "foreign-template", "empty-value":
			lines[p.Pos.Line] = true
			if p.Pos.Col == 0 || p.Hint == "" || p.Severity != diag.Error {
				t.Errorf("%s: %+v", form, p)
			}
		}
	}
	if len(lines) != len(all) {
		t.Errorf("%s: reported for %d of %d checks", form, len(lines), len(all))
	}
}

// TestPlaceholdersOfStructures: no text of a check accepts a list or a map as the value of a placeholder, except texts
// for judges and people.
func TestPlaceholdersOfStructures(t *testing.T) {
	t.Parallel()
	vars := map[string]any{
		"list": []string{"denied", "refused"}, "map": map[string]int{"a": 1}, "nested": "{{deeper}}", "deeper": "no {{list}}",
	}
	for s := range surfaces {
		t.Run(surfaces[s].name, func(t *testing.T) {
			t.Parallel()
			for _, form := range []string{"{{list}}", "{{map}}", "{{nested}}", "not {{list}} nor {{map}}"} {
				var all []string
				want, read := 0, 0
				for _, p := range plantedOn(s) {
					if all = append(all, p.with(form)); strings.Contains(form, " ") && isRead(p) {
						read++
					} else {
						want++
					}
				}
				got, problems := seen(placed(t, s, vars, all))
				if len(got) != read {
					t.Errorf("%s: %d checks were compiled, want %d", form, len(got), read)
				}
				lines := map[int32]bool{}
				for _, p := range problems {
					if p.Code == "structured-value" && p.Severity == diag.Error && p.Hint != "" {
						lines[p.Pos.Line] = true
					}
				}
				if len(lines) != want {
					t.Errorf("%s: reported for %d checks of %d: %v", form, len(lines), want, problems)
				}
			}
		})
	}
}

// isRead reports whether a judge or a person reads the text.
func isRead(p planted) bool {
	return slices.ContainsFunc(scenario.ShownParams(), func(name string) bool {
		return strings.Contains(p.check, `"`+name+`":`+gap)
	})
}

// TestShownParams: the parameters in which a list is one to read are prose in every check.
func TestShownParams(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"message": true} // of a pattern of tool_anti_pattern, and of every check
	for _, def := range checks.Builtin() {
		for _, p := range def.Params() {
			for _, name := range p.Spellings() {
				if !slices.Contains(scenario.ShownParams(), name) {
					continue
				}
				if known[name] = true; p.Is != checks.FreeText {
					t.Errorf("%s: %s is %q", def.Name, name, p.Is)
				}
			}
		}
	}
	for _, name := range scenario.ShownParams() {
		if !known[name] {
			t.Errorf("no check has a parameter %q", name)
		}
	}
}
