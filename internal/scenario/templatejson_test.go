package scenario

import "testing"

// TestNeverJSON: only a template that is invalid for all arguments is reported.
func TestNeverJSON(t *testing.T) {
	t.Parallel()
	for src, never := range map[string]bool{
		`{"id": "{{.id}}", "n": {{.n}}}`:                 false,
		`{"id": "{{.id}}", "n": {{.n}}`:                  true,
		`{"id": {{.id}} "n": 1}`:                         true,
		`{"id": "{{.id}}, "n": 1}`:                       true,
		`{id: "{{.id}}"}`:                                true,
		`{"id": "a\"{{.id}}"}`:                           false,
		`{{.id}}: {"n": }`:                               false, // begins as something else
		`{"id": {{if .id}}1{{end}}`:                      false, // may be
		`{"a": [{{.a}}], {{.members}}}`:                  false,
		`{"a": 1{{$x := .a}}}`:                           false,
		`{"a": {{.a}}, "b": {{.b}}, "c": {{.c}}, {{.d}}`: false, // too many placeholders to try
		"[\"{{.a}}\", {{.b}},]":                          true,
		`[{{.a}}, {{.b}}]`:                               false, // as a text, it may be anything
	} {
		if err := neverJSON(src); (err != nil) != never {
			t.Errorf("%s: %v", src, err)
		}
	}
}
