package node_test

import (
	"fmt"
	"testing"
)

// TestTextBehindAValue: text that follows a value on its line is reported, with what to write instead.
func TestTextBehindAValue(t *testing.T) {
	t.Parallel()
	const (
		whole     = "put the whole value in quotes"
		closed    = "f:2:6: text follows the closing quote; " + whole + ", and write the quotes within it as "
		brace     = "f:2:6: the value ends at }, and text follows; " + whole + ": "
		nextLine  = " on its line; begin it on the next line, or " + whole
		blockText = "f:2:6: text cannot follow "
	)
	for line, want := range map[string]string{
		"k: {{q}} {{a}}":       brace + `"{{q}} {{a}}"`,
		"k: {{q}}, and":        brace + `"{{q}}, and"`,
		`k: {{q}} "it's" \n`:   brace + `'{{q}} "it''s" \n'`,
		"k: [a] b":             "f:2:6: the value ends at ], and text follows; " + whole + `: "[a] b"`,
		`k: "a" b`:             closed + `\"`,
		`k: 'it's'`:            closed + `''`,
		"k: > x":               blockText + ">" + nextLine,
		"k: | x":               blockText + "|" + nextLine,
		`k: {a: "}"} # well`:   "",
		`k: ["a", 'b''c'] # x`: "",
		"k: |-\n    x":         "",
		`"k": v`:               "",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			got := ""
			_, problems := parse("f", "a:\n  "+line+"\n  z: 1\n")
			for _, p := range problems {
				got = fmt.Sprintf("%s:%d:%d: %s; %s", p.Pos.File, p.Pos.Line, p.Pos.Col, p.Msg, p.Hint)
			}
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestDocumentsOnALine: JSON of two records on one line is no value with text behind it.
func TestDocumentsOnALine(t *testing.T) {
	t.Parallel()
	_, problems := parse("f", `{"a": [1]}{"a": 2}`)
	if len(problems) != 1 || problems[0].Pos.Col != 11 ||
		problems[0].Msg != "a second JSON document follows the first on its line" {
		t.Error(problems)
	}
}
