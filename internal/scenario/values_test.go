package scenario

import (
	"testing"
)

// TestFill: placeholders are replaced, literal text stays, and every possible mistake is refused.
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
		`{{wrod}}`:           "no variable is named {{wrod}} (did you mean {{word}}?)",
		`{{city}}`:           "no variable is named {{city}} (a perturbation has single braces: write {city})",
		`{{vars.word}}`:      "no variable is named {{vars.word}} (write {{word}})",
		`{{.word}}`:          "{{.word}} is not a placeholder (write {{word}}: a placeholder is the name alone" + doubled,
		`{{word` + `}`:       "{{word} has one brace too few (write {{word}}" + doubled,
		`{{word, I say`:      "{{word has no end (write {{word}}" + doubled,
		`{{wrod is {{word}}`: "{{wrod has no end (write {{word}}" + doubled,
		`{word}}`:            "{word}} has one brace too few (write {{word}}" + single,
		`${word}`:            `${word} is not a placeholder (write {{word}}` + single,
		`{word}`:             `{word} is not a placeholder (write {{word}}` + single,
		`{ctiy}`:             `there is no perturbation for {ctiy} (did you mean {city}?` + single,
		`{{word | upper}}`: "{{word | upper}} is not a placeholder (write {{word}}: there are no filters and functions: " +
			"a variable holds the text that is meant" + doubled,
		`{{word:x}}`: "{{word:x}} is not a placeholder (write {{word}}: there are no formats and defaults: a variable " +
			"holds the text that is meant" + doubled,
		`{{word:-none}}`: "{{word:-none}} is not a placeholder (write {{word}}: there are no formats and defaults: a " +
			"variable holds the text that is meant" + doubled,
		`{{> part}}`:       "{{> part}} is not a placeholder (" + noLogic + doubled,
		`{% for a in b %}`: "{% for a in b %} is no template here (" + noLogic + `; for the braces themselves write \{%)`,
	} {
		_, faults := v.fill(text, true)
		if got := joinFaults(faults); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestFillPlaces: user messages keep their backslashes, except with perturbations, where these escape braces.
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

// TestDoubts: single braces that may be code are doubts, and are sent.
func TestDoubts(t *testing.T) {
	t.Parallel()
	v := &Values{Vars: map[string]string{"word": "denied"}, Singles: map[string]string{"city": "Rome"}}
	for text, want := range map[string]string{
		`{word}`:                     `{word} is sent as written, braces included (write {{word}} for its value; for the braces themselves write \{)`,
		`${wrod}`:                    `${wrod} is sent as written, braces included (did you mean {{word}}? For the braces themselves write $\{wrod})`,
		`${else}`:                    `${else} is sent as written, braces included (a variable is written {{else}}; for the braces themselves write $\{else})`,
		"run `echo ${else}`":         "",
		`{HOME} {else} {"a": {"b"}}`: "",
		`${HOME}`:                    `${HOME} is sent as written, braces included (a variable is written {{HOME}}; for the braces themselves write $\{HOME})`,
		"run `echo ${HOME}`":         "",
		`\{word} $\{else}`:           "",
		`{{word}} {city}`:            "",
		`f(x) { return y } {a, b}`:   "",
	} {
		if got := joinFaults(v.doubts(text)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
	if text, faults := v.fill(`\{word} $\{else}`, false); text != "{word} ${else}" || faults != nil {
		t.Errorf("got %q %v", text, faults)
	}
}
