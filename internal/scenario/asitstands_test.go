package scenario

import (
	"strings"
	"testing"
)

func TestLiteralPlaces(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain {x} ${y}":         "plain {x} ${y}|",
		"a {{name}} b":           "a {{name}} b|{{name}}",
		`a \{{name}} b`:          "a {{name}} b|",
		`a \\{{name}} b`:         `a \{{name}} b|{{name}}`,
		`a \\\{{name}} b`:        `a \{{name}} b|`,
		"{{ name }} {{.x}}":      "{{ name }} {{.x}}|{{ name }} {{.x}}",
		"{{{name}}}":             "{{{name}}}|{{name}}",
		`\{{{name}}}`:            "{{{name}}}|",
		"{{#if a}}b{{/if}}":      "{{#if a}}b{{/if}}|{{#if a}} {{/if}}",
		`^\{{2}a`:                `^\{{2}a|`,
		`{"a":{"b":{{"c": 1}}}}`: `{"a":{"b":{{"c": 1}}}}|`,
		"{{a}} {{a}} {{":         "{{a}} {{a}} {{|{{a}}",
		"{{}} {{ }}":             "{{}} {{ }}|",
	} {
		got, open := literalPlaces(text)
		if got += "|" + strings.Join(open, " "); got != want {
			t.Errorf("%s: %s, not %s", text, got, want)
		}
		if back, open := literalPlaces(AsItStands(text)); back != text || len(open) > 0 {
			t.Errorf("%s: escaped and back it is %s, with %q open", text, back, open)
		}
	}
}
