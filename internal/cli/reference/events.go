package main

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/report/events"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

const eventsOpening = `# Events

<!-- Written by ´make generate´ from internal/result and internal/report/events. Changes made here are lost. -->

A run can tell programs what happens while it happens, one JSON object a line:

´´´sh
arena run --events out/events.jsonl    # into a file
arena run --events - | jq -c .type     # to stdout; what people read goes to stderr
´´´

The events of one trial stand in the order in which things happened; those of trials that run at once are mixed, and
´trial´ tells them apart. Lines are written out when a trial ends, after the trial is in the journal. With the mock a
run repeats byte for byte under ´-j 1´ and ´SOURCE_DATE_EPOCH´: the times of simulated conversations are the start of
the run and what was simulated since the trial began. When the stream cannot be written the run ends, and reports what
had finished. Keys and headers of providers are never in it; texts of models and tools are as they came, so take care
where they are shown.

The stream has a version. Within it kinds and fields may be added, so pass over what you do not know. ´arena schema
events´ prints the JSON Schema of a line of this version.

## Every line

| Field | Type | Meaning |
|---|---|---|
`

// eventsPage is the reference of the events, as Markdown.
func eventsPage() (string, error) {
	var b strings.Builder
	b.WriteString(ticks(eventsOpening))
	eventFields(&b, "", events.EnvelopeFields())
	b.WriteString("\n## Kinds\n\n")
	for _, k := range events.Catalogue() {
		fmt.Fprintf(&b, "- [%s](#%s)\n", k.Name, strings.ReplaceAll(string(k.Name), ".", ""))
	}
	samples, err := eventSamples()
	if err != nil {
		return "", err
	}
	for _, k := range events.Catalogue() {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n| Field of `data` | Type | Meaning |\n|---|---|---|\n", k.Name, escaped(k.About))
		eventFields(&b, "", k.Fields())
		fmt.Fprintf(&b, "\n```json\n%s```\n", samples[k.Name])
	}
	return b.String(), nil
}

// eventFields writes a row for each field, also for those of objects within.
func eventFields(b *strings.Builder, path string, fields []events.Field) {
	for i := range fields {
		f := &fields[i]
		kind := f.Type()
		if f.Optional {
			kind += ", optional"
		}
		name := path + f.Name
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, kind, escaped(f.Doc))
		if f.List() {
			name += "[]"
		}
		eventFields(b, name+".", f.Fields())
	}
}

// eventSamples is a line of every kind.
func eventSamples() (map[result.EventKind]string, error) {
	samples := map[result.EventKind]string{}
	for _, e := range resulttest.Events() {
		if samples[e.Kind()] != "" {
			continue
		}
		var line strings.Builder
		w := events.NewWriter(&line)
		if err := w.Handle(e); err != nil {
			return nil, err
		}
		if err := w.Flush(); err != nil {
			return nil, err
		}
		samples[e.Kind()] = line.String()
	}
	return samples, nil
}
