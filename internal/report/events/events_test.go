package events_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/arena-evals/arena/internal/report/events"
	"github.com/arena-evals/arena/internal/report/golden"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

func write(t *testing.T, list []result.Event) string {
	t.Helper()
	var b strings.Builder
	w := events.NewWriter(&b)
	for _, e := range list {
		if err := w.Handle(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWrite(t *testing.T) {
	t.Parallel()
	golden.Check(t, "events.jsonl", []byte(write(t, resulttest.Events())))
}

// TestEveryLineFitsTheSchema, also when an enemy wrote its texts; and every kind is among them.
func TestEveryLineFitsTheSchema(t *testing.T) {
	t.Parallel()
	schema := compiled(t)
	for _, list := range [][]result.Event{resulttest.Events(), resulttest.HostileEvents()} {
		seen := map[string]bool{}
		for line := range strings.Lines(write(t, list)) {
			doc, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if err := schema.Validate(doc); err != nil {
				t.Errorf("%s: %v", line, err)
			}
			seen[doc.(map[string]any)["type"].(string)] = true
		}
		for _, k := range events.Catalogue() {
			if !seen[string(k.Name)] {
				t.Errorf("%s does not happen", k.Name)
			}
		}
	}
}

// TestTheSchemaIsNarrow: what is not as the types say does not fit.
func TestTheSchemaIsNarrow(t *testing.T) {
	t.Parallel()
	schema := compiled(t)
	lines := strings.Split(write(t, resulttest.Events()), "\n")
	for name, change := range map[string][2]string{
		"another version":   {`"schema_version":1`, `"schema_version":2`},
		"an unknown kind":   {`"type":"run.started"`, `"type":"run.begun"`},
		"a trial of a run":  {`"time":`, `"trial":"x","time":`},
		"an unknown field":  {`"planned":1`, `"planned":1,"x":1`},
		"a missing field":   {`,"planned":1`, ``},
		"text for a number": {`"planned":1`, `"planned":"1"`},
	} {
		line := strings.Replace(lines[0], change[0], change[1], 1)
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err != nil || line == lines[0] {
			t.Fatalf("%s: %s: %v", name, line, err)
		}
		if schema.Validate(doc) == nil {
			t.Errorf("%s fits: %s", name, line)
		}
	}
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := events.Schema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("events.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("events.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestEverythingIsDescribed: every field, also within others, has a sentence.
func TestEverythingIsDescribed(t *testing.T) {
	t.Parallel()
	var check func(path string, fields []events.Field)
	check = func(path string, fields []events.Field) {
		for i := range fields {
			f := &fields[i]
			if !strings.HasSuffix(f.Doc, ".") {
				t.Errorf("%s.%s is described by %q", path, f.Name, f.Doc)
			}
			check(path+"."+f.Name, f.Fields())
		}
	}
	check("", events.EnvelopeFields())
	for _, k := range events.Catalogue() {
		check(string(k.Name), k.Fields())
		if len(k.Fields()) == 0 {
			t.Errorf("%s says nothing", k.Name)
		}
	}
}

// TestWhenLinesArrive: at the ends of trials and of the run, not line by line.
func TestWhenLinesArrive(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	w := events.NewWriter(&b)
	var arrived []result.EventKind
	for _, e := range resulttest.Events() {
		before := b.Len()
		if err := w.Handle(e); err != nil {
			t.Fatal(err)
		}
		if b.Len() > before {
			arrived = append(arrived, e.Kind())
		}
	}
	want := []result.EventKind{result.KindRunStarted, result.KindTrialCompleted, result.KindRunCompleted}
	if diff := cmp.Diff(want, arrived); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

var errFull = errors.New("no space left on device")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestAFullDisk(t *testing.T) {
	t.Parallel()
	w := events.NewWriter(fullDisk{})
	for _, e := range resulttest.Events()[:2] {
		if err := w.Handle(e); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", e.Kind(), err)
		}
	}
}

// TestWhatJSONCannotHold is left out, and told; the numbers of the lines have no gap.
func TestWhatJSONCannotHold(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	w := events.NewWriter(&b)
	for _, e := range []result.Event{
		result.RunStarted{},
		result.EvalCompleted{At: result.At{Trial: "a/b/c"}, ID: "e", Score: new(math.NaN())},
		result.VerdictGiven{}, // a status that nobody set
		result.RunCompleted{Status: result.Passed},
	} {
		if err := w.Handle(e); err != nil {
			t.Fatal(err)
		}
	}
	var seqs []int
	for line := range strings.Lines(b.String()) {
		var e events.Envelope
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		seqs = append(seqs, e.Seq)
	}
	if diff := cmp.Diff([]int{1, 2}, seqs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := w.Err(); err == nil || !strings.HasPrefix(err.Error(), "event eval.completed of a/b/c cannot be written as JSON") {
		t.Errorf("%v", err)
	}
}

func BenchmarkHandle(b *testing.B) {
	list := resulttest.Events()
	w := events.NewWriter(discard{})
	b.ReportAllocs()
	for b.Loop() {
		for _, e := range list {
			if err := w.Handle(e); err != nil {
				b.Fatal(err)
			}
		}
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
