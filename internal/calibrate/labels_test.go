package calibrate_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/arena-evals/arena/internal/calibrate"
	"github.com/arena-evals/arena/internal/diag"
)

// brief is what the tests compare of an example.
func brief(list []calibrate.Example) (out []string) {
	for _, e := range list {
		s := fmt.Sprintf("%d %s %q", e.Pos.Line, calibrate.Word(e.Pass), e.Text)
		if e.Input != "" {
			s += fmt.Sprintf(" to %q", e.Input)
		}
		if e.Critique != "" {
			s += fmt.Sprintf(" because %q", e.Critique)
		}
		if e.ID != "" {
			s += " #" + e.ID
		}
		out = append(out, s)
	}
	return out
}

func problems(d *diag.List) (out []string) {
	for _, p := range d.Sorted() {
		s := fmt.Sprintf("%s: %s [%s]", p.Pos, p.Msg, p.Code)
		if p.Severity == diag.Warning {
			s = "warning: " + s
		}
		out = append(out, s)
	}
	return out
}

func TestReadLabels(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, data string
		threshold  *float64
		want       []string
	}{
		"a line each": {"a.jsonl", "\xef\xbb\xbf{\"text\": \"Yes.\", \"label\": \"pass\"}\r\n\n" +
			`{"output": "No.", "label": false, "critique": "curt", "input": "Is it?", "id": "q-2"}` + "\n",
			nil, []string{`1 pass "Yes."`, `3 fail "No." to "Is it?" because "curt" #q-2`}},
		"a list in JSON": {"a.json", `[{"text": "a", "label": 1},` + "\n" + ` {"text": "b", "label": 0.0}]`,
			nil, []string{`1 pass "a"`, `2 fail "b"`}},
		"a list in YAML": {"a.yaml", "- text: |\n    two\n    lines\n  label: Pass\n- {response: b, human_label: no}\n",
			nil, []string{`1 pass "two\nlines\n"`, `5 fail "b"`}},
		"documents in YAML": {"a.yml", "text: a\nlabel: yes\n---\ntext: b\nlabel: true\n",
			nil, []string{`1 pass "a"`, `4 pass "b"`}},
		"a table": {"a.csv", "Text,Label,critique,question\n\"a, \"\"b\"\"\nc\",PASS,,why?\nd,0,bad,\n",
			nil, []string{`2 pass "a, \"b\"\nc" to "why?"`, `4 fail "d" because "bad"`}},
		"a table with tabs": {"a.tsv", "label\treply\nfail\ta, b\n", nil, []string{`2 fail "a, b"`}},
		"scores": {"a.jsonl", `{"text":"a","label":0.7}` + "\n" + `{"text":"b","label":"0.69"}` + "\n" +
			`{"text":"c","label":1}` + "\n" + `{"text":"d","label":"fail"}`, new(0.7),
			[]string{`1 pass "a"`, `2 fail "b"`, `3 pass "c"`, `4 fail "d"`}},
		"numbers as text": {"a.jsonl", `{"text": 42, "label": "correct", "id": 7}`, nil, []string{`1 pass "42" #7`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var d diag.List
			got := calibrate.ReadLabels(c.file, []byte(c.data), c.threshold, &d)
			if diff := cmp.Diff(c.want, brief(got)); diff != "" {
				t.Errorf("examples (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string(nil), problems(&d)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadLabelsReportsEverything(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, data string
		want       []string
	}{
		"lines": {"a.jsonl", `{"text": "a", "lable": "pass"}` + "\n" + `{"text": " ", "label": "maybe"}` + "\n" +
			`{"text": "a", "label": 0.5}` + "\n" + `{"text": "a", "label": 8}` + "\n" + `{"text": "a", "label": null}` + "\n" +
			`["a", "pass"]` + "\n" + `{"text": "a", "output": "b", "label": "pass"}` + "\n" + `{"text": "a"` + "\n" +
			`{"text": ["a"], "label": "pass"}`,
			[]string{
				"a.jsonl:1:1: the entry has no label [missing-field]",
				"a.jsonl:2:10: text is empty [empty-value]",
				`a.jsonl:2:24: label cannot be "maybe"; expected pass or fail, true or false, or a score from 0 to 1 [unknown-value]`,
				"a.jsonl:3:24: the label 0.5 is a score [missing-threshold]",
				"a.jsonl:4:24: label must be between 0 and 1, found 8 [out-of-range]",
				"a.jsonl:5:24: label must be text, found nothing [wrong-type]",
				"a.jsonl:6:1: an entry must be a map, found a list [wrong-type]",
				`a.jsonl:7:15: "text" and "output" are both the text of the entry [duplicate-key]`,
				"a.jsonl:8:13: the document ends in the middle [json-syntax]",
				"a.jsonl:9:10: text must be text, found a list [wrong-type]",
			}},
		"no list":        {"a.yaml", "text: a\nlabel: pass\n", []string{"a.yaml:1:1: the labels must be a list, found a map [wrong-type]"}},
		"nothing":        {"a.jsonl", "\n\n", []string{"a.jsonl: there are no labels in it [no-labels]"}},
		"an empty list":  {"a.json", "[]", []string{"a.json: there are no labels in it [no-labels]"}},
		"only a header":  {"a.csv", "text,label\n", []string{"a.csv: there are no labels in it [no-labels]"}},
		"no header":      {"a.csv", "", []string{"a.csv: there are no labels in it [no-labels]"}},
		"another header": {"a.csv", "texts,label\na,pass\n", []string{"a.csv:1: the header has no text [missing-field]"}},
		"cells": {"a.csv", "text,label\na,pass,b\n\nc\nd,\n\"e", []string{
			"a.csv:2: the header has 2 cells, this row 3 [wrong-length]",
			"a.csv:4: the header has 2 cells, this row 1 [wrong-length]",
			"a.csv:5: label is empty [empty-value]",
			`a.csv:6: extraneous or missing " in quoted-field [csv-syntax]`,
		}},
		"another format": {"a.txt", "a", []string{"a.txt: the name does not say how the labels are written [unknown-format]"}},
		"no UTF-8":       {"a.jsonl", "{\"text\": \"\xff\"}", []string{"a.jsonl:1:11: the file is not valid UTF-8 here [invalid-encoding]"}},
		"two minds": {"a.jsonl", `{"text": "a", "label": "pass"}` + "\n" + `{"text": "a", "label": "fail"}` + "\n" +
			`{"text": "a", "label": "fail", "input": "another"}`,
			[]string{"warning: a.jsonl:2:1: the same text is labelled fail here and pass on line 1 [conflicting-labels]"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var d diag.List
			calibrate.ReadLabels(c.file, []byte(c.data), nil, &d)
			if diff := cmp.Diff(c.want, problems(&d)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOtherFieldsAreKept(t *testing.T) {
	t.Parallel()
	var d diag.List
	got := calibrate.ReadLabels("a.jsonl", []byte(`{"text": "a", "label": "pass", "contexts": ["x", "y"], "n": 2}`), nil, &d)
	want := map[string]any{"contexts": []any{"x", "y"}, "n": json.Number("2")}
	if len(got) != 1 || !cmp.Equal(want, got[0].Fields, cmpopts.EquateEmpty()) {
		t.Errorf("got %+v, want the fields %v", got, want)
	}
}

func FuzzReadLabels(f *testing.F) {
	f.Add("a.jsonl", []byte(`{"text": "a", "label": "pass"}`))
	f.Add("a.csv", []byte("text,label\na,0.5\n"))
	f.Add("a.yaml", []byte("- text: a\n  label: no\n"))
	f.Fuzz(func(t *testing.T, file string, data []byte) {
		var d diag.List
		for _, e := range calibrate.ReadLabels(file, data, nil, &d) {
			if e.Text == "" {
				t.Error("an example without a text")
			}
		}
	})
}
