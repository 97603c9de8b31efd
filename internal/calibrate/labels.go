// Package calibrate has a judge grade texts that people have labelled, and measures how well the judge agrees with
// them. It judges as a run does: with a compiled check and the judges of a plan.
package calibrate

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// Example is a text that a person has labelled.
type Example struct {
	Pos      diag.Pos       // of the entry
	ID       string         // may be empty
	Text     string         // what is judged, as a reply of an agent
	Input    string         // the question to the agent; may be empty
	Pass     bool           // the label
	Score    *float64       // the label as a score, when it is one
	Critique string         // the person's reason; may be empty
	Fields   map[string]any // all other fields; checks see them as metadata
}

// Files are the extensions of files that can hold labels.
var Files = []string{".jsonl", ".ndjson", ".json", ".yaml", ".yml", ".csv", ".tsv"}

// ReadLabels reads a file of labels. The extension gives the format: a JSON object per line, a list in JSON or YAML, or
// a table with a header. A label that is a score passes if it is at least threshold; with a nil threshold scores are
// refused. All problems go to d.
func ReadLabels(file string, data []byte, threshold *float64, d *diag.List) []Example {
	r := &labelReader{Reader: node.Reader{File: file, Diags: d}, threshold: threshold, seen: map[[2]string]*Example{}}
	switch ext := strings.ToLower(filepath.Ext(file)); ext {
	case ".jsonl", ".ndjson":
		r.lines(data)
	case ".json", ".yaml", ".yml":
		r.document(data)
	case ".csv":
		r.table(data, ',')
	case ".tsv":
		r.table(data, '\t')
	default:
		d.Errorf(diag.Pos{File: file}, 0, "unknown-format", "the name does not say how the labels are written").
			Hint = "expected one of " + strings.Join(Files, ", ")
		return nil
	}
	if len(r.examples) == 0 && d.Errors() == 0 {
		d.Errorf(diag.Pos{File: file}, 0, "no-labels", "there are no labels in it").Hint = hintEntry
	}
	return r.examples
}

const hintEntry = `an entry has a text and a label: {"text": "…", "label": "pass"}`

// column is a field of an entry with all of its names, the canonical one first.
type column struct {
	names []string
	must  bool
	set   func(r *labelReader, e *Example, n *node.Node)
}

var columns = []column{
	{[]string{"text", "output", "response", "reply"}, true, (*labelReader).text},
	{[]string{"label", "human_label", "human"}, true, (*labelReader).label},
	{[]string{"input", "question"}, false, textColumn("input", func(e *Example) *string { return &e.Input })},
	{[]string{"critique", "comment"}, false, textColumn("critique", func(e *Example) *string { return &e.Critique })},
	{[]string{"id"}, false, textColumn("id", func(e *Example) *string { return &e.ID })},
}

func columnOf(key string) *column {
	key = strings.ToLower(strings.TrimSpace(key))
	for i := range columns {
		if slices.Contains(columns[i].names, key) {
			return &columns[i]
		}
	}
	return nil
}

func textColumn(what string, at func(*Example) *string) func(*labelReader, *Example, *node.Node) {
	return func(r *labelReader, e *Example, n *node.Node) {
		if !node.IsNull(n) {
			*at(e), _ = r.String(n, what)
		}
	}
}

// labelReader collects the examples of one file.
type labelReader struct {
	node.Reader
	threshold *float64
	examples  []Example
	seen      map[[2]string]*Example // by text and input
}

// entry reads one example. An example with a problem is left out.
func (r *labelReader) entry(n *node.Node) {
	before := r.Diags.Errors()
	e := Example{Pos: r.Pos(n), Fields: map[string]any{}}
	taken := map[*column]*node.Node{}
	var rest []string
	walked := r.Each(n, "an entry", func(key string, k, v *node.Node) {
		c := columnOf(key)
		switch {
		case c == nil:
			rest = append(rest, key)
			e.Fields[key] = r.Any(v)
		case taken[c] != nil:
			r.Errorf(k, "duplicate-key", "%q and %q are both the %s of the entry", taken[c].Value, key, c.names[0]).
				Hint = "keep one of the two"
		default:
			taken[c] = k
			c.set(r, &e, v)
		}
	})
	for i := range columns {
		if c := &columns[i]; walked && c.must && taken[c] == nil {
			r.missing(n, c, rest)
		}
	}
	if r.Diags.Errors() > before {
		return
	}
	r.add(&e)
}

func (r *labelReader) missing(n *node.Node, c *column, rest []string) {
	d := r.Missing(n, "the entry", c.names[0])
	d.Hint = hintEntry
	for _, key := range rest {
		if hint := diag.DidYouMean(key, c.names); hint != "" {
			d.Hint = "there is " + key + "; " + hint
			return
		}
	}
}

// add adds an example. It warns when the same text has two different labels: no judge can agree with both.
func (r *labelReader) add(e *Example) {
	key := [2]string{e.Text, e.Input}
	if first := r.seen[key]; first == nil {
		r.seen[key] = e
	} else if first.Pass != e.Pass {
		r.Diags.Warnf(e.Pos, 1, "conflicting-labels", "the same text is labelled %s here and %s on line %d",
			Word(e.Pass), Word(first.Pass), first.Pos.Line)
	}
	r.examples = append(r.examples, *e)
}

func (r *labelReader) text(e *Example, n *node.Node) { e.Text, _ = r.Name(n, "text") }

// Word is pass or fail.
func Word(pass bool) string {
	if pass {
		return "pass"
	}
	return "fail"
}
