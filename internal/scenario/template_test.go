package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRender(t *testing.T) {
	t.Parallel()
	vars := map[string]string{
		"name": "Ada", "full": "{{name}} Lovelace", "a": "{{b}}", "b": "{{a}}", "self": "x{{self}}", "artifacts.plan": "go",
		"empty": "", "braces": "{not}", "double": "{{double}}{{double}}", "dash-ed": "d", "größe": "XL",
	}
	tests := []struct {
		name, template, want string
		open                 []string
	}{
		{"plain", "Hello", "Hello", nil},
		{"one", "Hello {{name}}!", "Hello Ada!", nil},
		{"twice", "{{name}} and {{name}}", "Ada and Ada", nil},
		{"nested", "{{full}}", "Ada Lovelace", nil},
		{
			"unknown", "{{name}} of {{country}} and {{city}}, {{country}}", "Ada of {{country}} and {{city}}, {{country}}",
			[]string{"city", "country"},
		},
		{"spaces are no placeholder", "{{ name }}", "{{ name }}", nil},
		{"json is no placeholder", `{{"a": 1}} {{name}}`, `{{"a": 1}} Ada`, nil},
		{"three braces", "{{{name}}}", "{Ada}", nil},
		{"unclosed", "{{name", "{{name", nil},
		{"empty value", "[{{empty}}]", "[]", nil},
		{"dots", "{{artifacts.plan}}", "go", nil},
		{"dash", "{{dash-ed}}", "d", nil},
		{"letters", "{{größe}}", "XL", nil},
		{"value with braces", "{{braces}}", "{not}", nil},
		{"cycle", "{{a}}", "{{a}}", []string{"a"}},
		{"grows", "{{self}}", strings.Repeat("x", 10) + "{{self}}", []string{"self"}},
		{"no braces", "", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, open := Render(tt.template, vars)
			if got != tt.want {
				t.Errorf("text: got %q, want %q", got, tt.want)
			}
			if diff := cmp.Diff(tt.open, open); diff != "" {
				t.Errorf("open (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRenderIsBounded: values that double themselves end soon.
func TestRenderIsBounded(t *testing.T) {
	t.Parallel()
	vars := map[string]string{"x": strings.Repeat("{{x}}", 1000)}
	if got, _ := Render("{{x}}", vars); len(got) > renderLimit {
		t.Errorf("the text has %d bytes", len(got))
	}
}

func FuzzRender(f *testing.F) {
	f.Add("Hello {{name}}", "{{name}}")
	f.Add("{{{{a}}}}", "}}{{")
	f.Fuzz(func(t *testing.T, template, value string) {
		vars := map[string]string{"name": value, "a": value}
		text, open := Render(template, vars)
		if len(text) > renderLimit && len(text) > len(template) {
			t.Errorf("%d bytes", len(text))
		}
		for _, name := range open {
			if !strings.Contains(text, "{{"+name+"}}") {
				t.Errorf("%q is reported open and not in %q", name, text)
			}
		}
		Substitute(template, vars)
		Placeholders(template)
		if back, _ := Render(Literal(template), vars); back != template {
			t.Errorf("%q is read back as %q", template, back)
		}
	})
}

// TestFill: what is a placeholder is replaced, what is meant as text stays, and everything that could be a mistake is
// refused.
func TestFill(t *testing.T) {
	t.Parallel()
	v := &Values{Vars: map[string]string{"word": "denied", "a-b": "dash"}, Singles: map[string]string{"city": "Rome"}}
	for text, want := range map[string]string{
		`{{word}}`:                    "denied",
		`{{a-b}} {city}`:              "dash Rome",
		`{{"a": 1}}`:                  `{{"a": 1}}`,
		`{{a: 1}} {{1, 2}} {{}}`:      `{{a: 1}} {{1, 2}} {{}}`,
		`\{{word}}`:                   "{{word}}",
		`\\{{word}}`:                  `\denied`,
		`\{{{word}}} \{{ x | y }}`:    "{{{word}}} {{ x | y }}",
		`\{% if word %}`:              "{% if word %}",
		`{"a": {"b": 1}}`:             `{"a": {"b": 1}}`,
		`\d{3} \{2}`:                  `\d{3} \{2}`,
		`{other} \{word} \{{word`:     "{other} {word} {{word",
		`{"a": {"b": {order}}}`:       `{"a": {"b": {order}}}`,
		`style={{color: red}}`:        `style={{color: red}}`,
		`{{word: 1}} {{word:"x"}}`:    `{{word: 1}} {{word:"x"}}`,
		`{{else:x}} {{word::x}}`:      `{{else:x}} {{word::x}}`,
		`$5 ${5} {%} 5% /orders/{id}`: `$5 ${5} {%} 5% /orders/{id}`,
	} {
		if got, faults := v.fill(text, true); got != want || len(faults) > 0 {
			t.Errorf("%s: got %q %v, want %q", text, got, faults, want)
		}
	}
	const doubled, single = `; for the braces themselves write \{{)`, `; for the braces themselves write \{)`
	for text, want := range map[string]string{
		`{{wrod}}`:           "nothing is known for {{wrod}} (did you mean {{word}}?)",
		`{{city}}`:           "nothing is known for {{city}} (a perturbation has single braces: write {city})",
		`{{vars.word}}`:      "nothing is known for {{vars.word}} (write {{word}})",
		`{{.word}}`:          "{{.word}} is no placeholder here (write {{word}}: a placeholder is the name alone" + doubled,
		`{{word` + `}`:       "{{word} has one brace too few (write {{word}}" + doubled,
		`{{word, I say`:      "{{word has no end (write {{word}}" + doubled,
		`{{wrod is {{word}}`: "{{wrod has no end (write {{word}}" + doubled,
		`{word}}`:            "{word}} has one brace too few (write {{word}}" + single,
		`${word}`:            `${word} is no placeholder here (write {{word}}` + single,
		`{word}`:             `{word} is no placeholder here (write {{word}}` + single,
		`{ctiy}`:             `there is no perturbation for {ctiy} (did you mean {city}?` + single,
		`{{word | upper}}`: "{{word | upper}} is no placeholder here (write {{word}}: there are no filters and functions: " +
			"a variable holds the text that is meant" + doubled,
		`{{word:x}}`: "{{word:x}} is no placeholder here (write {{word}}: there are no formats and defaults: a variable " +
			"holds the text that is meant" + doubled,
		`{{word:-none}}`: "{{word:-none}} is no placeholder here (write {{word}}: there are no formats and defaults: a " +
			"variable holds the text that is meant" + doubled,
		`{{> part}}`:       "{{> part}} is no placeholder here (" + noLogic + doubled,
		`{% for a in b %}`: "{% for a in b %} is no template here (" + noLogic + `; for the braces themselves write \{%)`,
	} {
		_, faults := v.fill(text, true)
		if got := joinFaults(faults); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

// What the user says keeps its backslashes, but where there are perturbations: there they make text of braces.
func TestFillPlaces(t *testing.T) {
	t.Parallel()
	perturbed, plain := &Values{Singles: map[string]string{"city": "Rome"}}, &Values{Singles: map[string]string{}}
	const text = `{city} \{city} \{any} \{a b} \\{any}`
	if got, faults := perturbed.fill(text, false); got != `Rome {city} {any} \{a b} \\{any}` || len(faults) > 0 {
		t.Errorf("got %q %v", got, faults)
	}
	if got, faults := plain.fill(text, false); got != text || len(faults) > 0 {
		t.Errorf("without perturbations: got %q %v", got, faults)
	}
}

func TestSubstitute(t *testing.T) {
	t.Parallel()
	values := map[string]string{"city": "Rome", "{": "x", "n": "{city}"}
	for text, want := range map[string]string{
		"Fly to {city}":        "Fly to Rome",
		"{city}{city}":         "RomeRome",
		"{{city}} and {city}":  "{{city}} and Rome",
		"{unknown} {city}":     "{unknown} Rome",
		"{n}":                  "{city}",
		"{city":                "{city",
		"a } b { c":            "a } b { c",
		"":                     "",
		`{"city": "{city}"}`:   `{"city": "Rome"}`,
		"{{{city}}}":           "{{{city}}}",
		"{ {city} }":           "{ Rome }",
		"{city} {{name}} {x{}": "Rome {{name}} {x{}",
		`\{city} \\{city}`:     `\{city} \\Rome`,
	} {
		if got := Substitute(text, values); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestVariables(t *testing.T) {
	t.Parallel()
	prompt := &Prompt{
		TaskType: "desk",
		Variables: []Variable{
			{Name: "house", Default: new("Nowhere")}, {Name: "hours", Required: true, Default: new("9 to 5")},
			{Name: "title", Required: true}, {Name: "domain"},
		},
		Vars:      map[string]string{"house": "Central", "shelf": "A"},
		Fragments: map[string]string{"rules": "Be kind."},
	}
	long := strings.Repeat("ö", 200)
	s := &Scenario{
		Description: "A reader", Context: ContextMetadata{Domain: "books", UserRole: "reader"},
		Turns:     []Turn{{Role: "buyer", Content: "generated"}, {Role: "user", Content: long}},
		Variables: map[string]string{"title": "Emma", "shelf": "B", "user_role": "guest"},
	}
	got, err := Variables(prompt, s, "north")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"house": "Central", "hours": "9 to 5", "title": "Emma", "shelf": "B", "rules": "Be kind.", "region": "north",
		"domain": "books", "user_role": "guest", "user_context": "reader",
		"context_slot": "A reader " + strings.Repeat("ö", 150),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestVariablesMissing(t *testing.T) {
	t.Parallel()
	prompt := &Prompt{TaskType: "desk", Variables: []Variable{
		{Name: "a", Required: true}, {Name: "b", Required: true, Default: new("")}, {Name: "c", Required: true},
	}}
	_, err := Variables(prompt, &Scenario{Variables: map[string]string{"c": "x"}}, "default")
	want := `the prompt "desk" requires a value for "a", "b"`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestVariablesWithoutPrompt(t *testing.T) {
	t.Parallel()
	got, err := Variables(nil, &Scenario{Variables: map[string]string{"x": "1"}}, "default")
	if diff := cmp.Diff(map[string]string{"x": "1", "region": "default"}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestSystemPrompt(t *testing.T) {
	t.Parallel()
	half, tokens := 0.5, 50
	prompt := &Prompt{
		TaskType: "desk", SystemTemplate: "You work at {{house}}.", MaxTokens: &tokens,
		Overrides: map[string]ModelOverride{
			"tiny":  {Suffix: " Be short.", Prefix: "> ", Parameters: Parameters{Temperature: &half}},
			"other": {SystemTemplate: "Work, {{hause}}!"},
		},
	}
	vars := map[string]string{"house": "Central"}
	for model, want := range map[string]string{
		"": "You work at Central.", "big": "You work at Central.", "tiny": "> You work at Central. Be short.",
	} {
		if got, err := SystemPrompt(prompt, model, vars); err != nil || got != want {
			t.Errorf("%s: got %q and %v, want %q", model, got, err, want)
		}
	}
	_, err := SystemPrompt(prompt, "other", vars)
	want := `the system prompt "desk": nothing is known for {{hause}} (did you mean {{house}}?)`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if got := ModelParameters(prompt, "tiny"); got.Temperature != &half || got.MaxTokens != &tokens {
		t.Errorf("parameters of tiny: %+v", got)
	}
}

func TestPromptChoice(t *testing.T) {
	t.Parallel()
	one := []*Prompt{{TaskType: "desk"}}
	two := append(one, &Prompt{TaskType: "attic"})
	tests := []struct {
		name    string
		prompts []*Prompt
		task    string
		want    string // task type; "" is none
		err     string
	}{
		{"named", two, "attic", "attic", ""},
		{"the only one", one, "", "desk", ""},
		{"none at all", nil, "", "", ""},
		{"several", two, "", "", "there are several prompts: attic, desk"},
		{"unknown", two, "cellar", "", `no prompt of task type "cellar"; known: attic, desk`},
		{"unknown among none", nil, "cellar", "", "nor any other"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := &Project{Prompts: tt.prompts}
			got, err := p.Prompt(&Scenario{TaskType: tt.task})
			task := ""
			if got != nil {
				task = got.TaskType
			}
			if task != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %q and %v, want %q and %q", task, err, tt.want, tt.err)
			}
		})
	}
}

func TestNeeds(t *testing.T) {
	t.Parallel()
	p := &Project{Later: []Feature{
		{Name: "all"}, {Name: "one", Scenario: "a"}, {Name: "model", Provider: "m"}, {Name: "guards", Prompt: "desk"},
		{Name: "tool", Tool: "sell"}, {Name: "servers", Tool: "mcp__*"},
	}}
	names := func(list []Feature) []string {
		out := []string{}
		for _, f := range list {
			out = append(out, f.Name)
		}
		return out
	}
	a, b := &Scenario{Meta: Meta{ID: "a"}}, &Scenario{Meta: Meta{ID: "b"}}
	model := &Provider{Meta: Meta{ID: "m"}}
	desk := &Prompt{TaskType: "desk", AllowedTools: []string{"se*"}}
	attic := &Prompt{TaskType: "attic", AllowedTools: []string{"mcp__store__list"}}
	tests := []struct {
		name string
		got  []Feature
		want []string
	}{
		{"nothing but the project", p.Needs(b, nil, nil), []string{"all"}},
		{"the scenario", p.Needs(a, nil, nil), []string{"all", "one"}},
		{"the provider", p.Needs(b, nil, model), []string{"all", "model"}},
		{"prompt and tool", p.Needs(b, []*Prompt{desk}, nil), []string{"all", "guards", "tool"}},
		{"a served tool", p.Needs(b, []*Prompt{attic}, nil), []string{"all", "servers"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, names(tt.got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestMergeEvals(t *testing.T) {
	t.Parallel()
	eval := func(id, kind string) *Eval { return &Eval{ID: id, Check: Check{Type: kind}} }
	wide := []*Eval{eval("a", "contains"), eval("b", "regex"), eval("c", "json_valid")}
	var got []string
	for _, e := range MergeEvals(wide, []*Eval{eval("d", "length"), eval("b", "llm_judge"), eval("A", "regex")}) {
		got = append(got, e.ID+" "+e.Type)
	}
	want := []string{"a contains", "b llm_judge", "c json_valid", "d length", "A regex"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if wide[1].Type != "regex" {
		t.Error("the wider list was changed")
	}
}

// TestTables: every table fits its bookkeeping, and no key is listed twice.
func TestTables(t *testing.T) {
	t.Parallel()
	tables := map[string][]string{
		"arena": fieldNames(arenaFields), "scenario": fieldNames(scenarioFields), "turn": fieldNames(turnFields),
		"check": fieldNames(checkFields), "prompt": fieldNames(promptFields), "provider": fieldNames(providerFields),
		"tool": fieldNames(toolFields), "persona": fieldNames(personaFields), "eval": fieldNames(recordingEvalFields),
		"runtime": fieldNames(runtimeFields), "defaults": fieldNames(defaultsFields), "pack": fieldNames(packFields),
		"mock reply": fieldNames(mockTurnFields),
	}
	for table, names := range tables {
		if len(names) > 64 {
			t.Errorf("%s: %d keys do not fit", table, len(names))
		}
		seen := map[string]bool{}
		for _, name := range names {
			if seen[name] {
				t.Errorf("%s: %q is listed twice", table, name)
			}
			seen[name] = true
		}
	}
}

func fieldNames[T any](f *fields[T]) []string {
	var names []string
	for _, x := range f.all() {
		names = append(names, x.Name)
	}
	return names
}

// Single braces of what may be code are told of, and still said.
func TestDoubts(t *testing.T) {
	t.Parallel()
	v := &Values{Vars: map[string]string{"word": "denied"}, Singles: map[string]string{"city": "Rome"}}
	for text, want := range map[string]string{
		`{word}`:                      `{word} is said as it stands (write {{word}} for its value; for the braces themselves write \{)`,
		`${wrod}`:                     `${wrod} is said as it stands (did you mean {{word}}? For the braces themselves write $\{wrod})`,
		`${else}`:                     `${else} is said as it stands (a variable is written {{else}}; for the braces themselves write $\{else})`,
		"run `echo ${else}`":          "",
		`${HOME} {else} {"a": {"b"}}`: "",
		`\{word} $\{else}`:            "",
		`{{word}} {city}`:             "",
		`f(x) { return y } {a, b}`:    "",
	} {
		if got := joinFaults(v.doubts(text)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
	if text, faults := v.fill(`\{word} $\{else}`, false); text != "{word} ${else}" || faults != nil {
		t.Errorf("got %q %v", text, faults)
	}
}

// Braces that hold no variable, and seem meant to, are found in all that is said, and in what is no template too.
func TestBracesWhereverSomethingIsSaid(t *testing.T) {
	t.Parallel()
	for place, write := range map[string]func(files map[string]string, text string){
		"system prompt": func(f map[string]string, text string) {
			f["p.yaml"] += "  system_template: \"Sell {{order}} " + text + "\"\n"
		},
		"user turn": func(f map[string]string, text string) {
			f["s.yaml"] += "turns: [{role: user, content: \"{{order}} " + text + "\"}]\n"
		},
		"part": func(f map[string]string, text string) {
			f["s.yaml"] += "turns: [{role: user, parts: [{type: text, text: \"{{order}} " + text + "\"}]}]\n"
		},
		"description": func(f map[string]string, text string) { f["s.yaml"] += "description: \"{{order}} " + text + "\"\n" },
		"failure": func(f map[string]string, text string) {
			f["s.yaml"] += "turns: [{role: user, content: hi, chaos: {tool_failures: [{tool: get, mode: error, message: \"" + text + "\"}]}}]\n"
		},
		"mock reply": func(f map[string]string, text string) {
			f["m.yaml"] = "scenarios: {s: {turns: {1: \"" + text + "\"}}}\n"
		},
		"reply of a turn": func(f map[string]string, text string) {
			f["s.yaml"] += "turns: [{role: user, content: hi, mock: \"" + text + "\"}]\n"
		},
		"tool result": func(f map[string]string, text string) { f["t.yaml"] += "  mock_result: {a: [\"" + text + "\"]}\n" },
	} {
		for text, want := range map[string]string{
			"{order}}": "error", "{{order ": "error", "{{order}": "error", "${order}": "error", "{order}": "warning", "${foo}": "warning",
			"a {name}": "", "{{order}}": "", "${HOME}": "",
		} {
			switch place {
			case "mock reply", "reply of a turn", "tool result": // no templates
				want = map[string]string{"{{order}}": "warning"}[text]
			}
			files := map[string]string{
				"config.arena.yaml": "kind: Arena\nmetadata: {name: p}\nspec:\n  prompt_configs: [{id: p, file: p.yaml, vars: {order: A1}}]\n" +
					"  providers: [{file: q.yaml}]\n  scenarios: [{file: s.yaml}]\n  tools: [{file: t.yaml}]\n",
				"p.yaml": "kind: PromptConfig\nmetadata: {name: p}\nspec:\n  task_type: p\n  allowed_tools: [get]\n",
				"q.yaml": "kind: Provider\nmetadata: {name: q}\nspec: {type: mock, model: m, additional_config: {mock_config: m.yaml}}\n",
				"s.yaml": "id: s\ntask_type: p\n", "m.yaml": "defaultResponse: x\n",
				"t.yaml": "kind: Tool\nmetadata: {name: get}\nspec:\n  description: gets\n  mode: mock\n" +
					"  input_schema: {type: object, properties: {order: {type: string}}}\n  output_schema: {type: object}\n",
			}
			write(files, text)
			if !strings.Contains(files["p.yaml"], "system_template") {
				files["p.yaml"] += "  system_template: \"Sell {{order}}\"\n"
			}
			if !strings.Contains(files["s.yaml"], "turns") {
				files["s.yaml"] += "turns: [{role: user, content: hi}]\n"
			}
			dir := t.TempDir()
			for name, content := range files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, problems := Load(Options{Dir: dir, Paths: []string{filepath.Join(dir, "config.arena.yaml")}})
			got := ""
			for _, p := range problems.Sorted() {
				if p.Code == "foreign-template" {
					got = p.Severity.String()
				}
			}
			if got != want {
				t.Errorf("%s: %s: got %q, want %q: %v", place, text, got, want, problems.Sorted())
			}
		}
	}
}
