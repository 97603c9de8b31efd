package main

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/metrics"
	"github.com/arena-evals/arena/internal/result"
)

const metricsOpening = `# Metrics

<!-- Written by ´make generate´ from internal/metrics. Changes made here are lost. -->

A run can tell Prometheus what it did, what it took, and what its evals measured:

´´´sh
arena run --metrics-file /var/lib/node_exporter/arena.prom   # a file, for node-exporter's textfile collector
arena run --metrics-push http://pushgateway:9091             # to a Pushgateway, at the start and at the end
arena run --metrics-listen :9464 --metrics-linger 30s        # at /metrics of this address, while the run lasts
´´´

The three can be combined. What can be known before the run is reported before it: a folder that cannot be written, a
gateway that does not answer, a port in use, names that clash. The file is whole or not there. A Pushgateway files the
run under ´job="arena"´; another group is written as the gateway writes it,
´http://pushgateway:9091/metrics/job/nightly/branch/main´, where a slash within a name is ´%2F´ or, as the gateway has
it, in base64: ´/branch@base64/ZmVhdC94´.

The metrics are served no longer than the run lasts, and a scraper that looks every 15 seconds may not see its end.
´--metrics-linger´ serves them for some time after the reports are written. An interrupt ends that at once; the exit
status is that of the run.

´:9464´ is this machine only: nobody else sees the metrics. Name the address on which others may ask, such as
´10.0.0.7:9464´, or ´0.0.0.0:9464´ for all of the machine's, as a container needs it. Who pushes: a gateway that
redirects is an error that says where it leads, and neither the metrics nor the password go there. A run with
´--offline´ or ´--replay´ refuses ´--metrics-push´, for it contacts nobody.

´--metrics-namespace´ puts another word in the place of ´arena´, the first part of every name.
´--metrics-label env=ci´, as often as needed, adds a label to every metric. All of these can stand in
´.arena.yaml´ and in ´ARENA_*´ variables as well.

## Metrics of a run

| Metric | Type | Labels | Meaning |
|---|---|---|---|
`

const metricsOfEvals = `
## Metrics of evals

An eval says in its definition as what it is exported. One that says nothing is a gauge named after its id, in which an
underscore stands for every character that names of metrics cannot have. All names start with ´arena_eval_´; a
name that is written with it stays as it is.

´´´yaml
pack_evals:
  - id: answer-quality
    type: llm_judge
    trigger: every_turn
    description: How helpful the answers are.
    params: {criteria: The answer helps.}
    metric:
      name: answer_quality
      type: histogram
      range: {min: 0, max: 1}
      labels: {team: support}
´´´

| Type | What it shows |
|---|---|
| gauge | the latest score |
| counter | how often the eval gave a score, whatever it was |
| histogram | how the scores are spread: over ´buckets´ (upper bounds), or ten steps of ´range´, or of 0 to 1 |
| boolean | a gauge: 1 for a full score, else 0 |

A check that names a ´metric_value´ in its details, as programs and services can, exports that in place of the
score; a value outside the range is kept. An eval that was skipped, or that could not judge, leaves its metric as it
was, and shows in ´arena_evals_total´. Where several trials set one gauge, the last one in the order of the plan
counts, whichever ended last.

´help´, else the ´description´ of the eval, is the help text. Metrics of one name have one type, the same
labels and the same buckets; evals of one conversation that would write the same series are warned of.

Beside its own ´labels´ every metric of an eval has one for each dimension in ´--metrics-by´, by default
´scenario,provider´:

| Dimension | Meaning |
|---|---|
`

const metricsExample = `| a label of scenarios | Its value under ´metadata.labels´; empty for scenarios without it. |

The eval above, after two trials of one scenario:

´´´text
`

// ticks puts backticks where texts in this file, which cannot hold them, have ´.
func ticks(text string) string { return strings.ReplaceAll(text, "´", "`") }

// metricsPage is the reference of the metrics, as Markdown.
func metricsPage() (string, error) {
	var b strings.Builder
	b.WriteString(ticks(metricsOpening))
	for _, f := range metrics.Catalogue() {
		fmt.Fprintf(&b, "| `%s_%s` | %s | %s | %s |\n", metrics.DefaultNamespace, f.Name, f.Type, codes(f.Labels),
			escaped(f.Help))
	}
	b.WriteString(ticks(metricsOfEvals))
	for _, d := range metrics.Dimensions() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", d.Name, escaped(d.Help))
	}
	b.WriteString(ticks(metricsExample))
	text, err := exampleMetrics()
	if err != nil {
		return "", err
	}
	b.WriteString(text + "```\n")
	return b.String(), nil
}

func codes(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return code(names)
}

// exampleMetrics is what Prometheus reads of the eval in the example.
func exampleMetrics() (string, error) {
	metric := &result.Metric{
		Name: "answer_quality", Type: result.Histogram, Help: "How helpful the answers are.",
		Labels: map[string]string{"team": "support"}, Low: new(0.0), High: new(1.0),
	}
	m, err := metrics.New(metrics.Options{
		Namespace: metrics.DefaultNamespace, By: []string{"scenario", "provider"}, Evals: []*result.Metric{metric},
	})
	if err != nil {
		return "", err
	}
	m.Start(&result.Run{Started: time.Unix(0, 0)})
	for i, score := range []float64{0.5, 0.9} {
		trial := &result.Trial{Index: i, Scenario: "refund", Provider: "gpt-4o", Status: result.Passed}
		trial.Evals = []result.EvalResult{{ID: "answer-quality", Score: &score, Metric: metric}}
		if err := m.Handle(result.TrialDone{Trial: trial}); err != nil {
			return "", err
		}
	}
	var all bytes.Buffer
	if err := m.Write(&all); err != nil {
		return "", err
	}
	var b strings.Builder
	for line := range strings.Lines(all.String()) {
		if strings.Contains(line, "_eval_answer_quality") {
			b.WriteString(line)
		}
	}
	return b.String(), nil
}
