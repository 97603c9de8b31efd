package scenario

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/node"
)

// evalFile is an eval definition as it stands in a file.
type evalFile struct {
	Eval
	id        *node.Node
	threshold threshold
}

type threshold struct{ min, max *float64 }

var triggers = words("every_turn", "on_session_complete", "sample_turns", "sample_sessions", "on_conversation_complete",
	"on_workflow_step")

// evalFields are the keys of an eval definition in configs, packs and prompts.
var evalFields = table("an eval",
	custom("id", text, func(d *decoder, e *evalFile, v *node.Node) {
		e.id = v
		e.ID, _ = d.Name(v, "id")
	}).must(),
	checkType(func(e *evalFile) *Check { return &e.Check }),
	checkParams(func(e *evalFile) *Check { return &e.Check }),
	word("trigger", triggers, func(e *evalFile) *string { return &e.Trigger }).must(),
	drop[evalFile]("description", text),
	flag("enabled", func(e *evalFile) *bool { return &e.Enabled }),
	num("sample_percentage", numShape{low: 0, high: 100}, func(e *evalFile) *float64 { return &e.SamplePct }),
	object("threshold", thresholdFields, func(e *evalFile) *threshold { return &e.threshold }),
	objectPtr("when", whenFields, func(e *evalFile) **When { return &e.When }),
	str("message", func(e *evalFile) *string { return &e.Message }),
	strs("groups", func(e *evalFile) *[]string { return &e.Groups }),
	custom("metric", anyMap, readMetric),
).strays(underParams)

var thresholdFields = table("threshold",
	custom("passed", boolean, func(d *decoder, t *threshold, v *node.Node) {
		if b, ok := d.Bool(v, "passed"); ok && b && t.min == nil {
			all := 1.0
			t.min = &all
		}
	}),
	numPtr("min_score", unit, func(t *threshold) **float64 { return &t.min }),
	numPtr("max_score", unit, func(t *threshold) **float64 { return &t.max }),
)

// evals reads a list of eval definitions; their ids are unique in it.
func (d *decoder) evals(n *node.Node, what string) []*Eval {
	var list []*Eval
	lines := map[string]int{}
	d.Items(n, what, func(_ int, v *node.Node) {
		e := &evalFile{Eval: Eval{Enabled: true, SamplePct: 5}}
		if !evalFields.read(d, v, e) {
			return
		}
		if line, twice := lines[e.ID]; twice && e.ID != "" {
			d.Errorf(e.id, "duplicate-id", "the eval %q is already defined on line %d", e.ID, line)
			return
		}
		if e.id != nil {
			lines[e.ID] = e.id.Line
		}
		e.MinScore, e.MaxScore = e.threshold.min, e.threshold.max
		d.finish(&e.Check, EvalSurface)
		list = append(list, &e.Eval)
	})
	return list
}

// evalList is a field with eval definitions.
func evalList[T any](name string, at func(*T) *[]*Eval) field[T] {
	return custom(name, listShape{evalFields}, func(d *decoder, t *T, v *node.Node) { *at(t) = d.evals(v, name) })
}

type metricFile struct {
	name, kind, limits *node.Node
	low, high          *float64
}

// metricFields are the keys of a metric that are checked; others are kept for whoever reads them.
var metricFields = table("metric",
	custom("name", text, func(_ *decoder, m *metricFile, v *node.Node) { m.name = v }).must(),
	custom("type", text, func(_ *decoder, m *metricFile, v *node.Node) { m.kind = v }).must(),
	custom("range", metricRangeFields, func(d *decoder, m *metricFile, v *node.Node) {
		m.limits = v
		metricRangeFields.read(d, v, m)
	}),
	custom("labels", textMap, func(d *decoder, m *metricFile, v *node.Node) { readMetricLabels(d, v) }),
).open()

var metricRangeFields = table("range",
	numPtr("min", number, func(m *metricFile) **float64 { return &m.low }),
	numPtr("max", number, func(m *metricFile) **float64 { return &m.high }),
)

var (
	metricName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*$`) })
	metricKey  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`) })
)

func readMetric(d *decoder, e *evalFile, v *node.Node) {
	if v.Kind != node.Map {
		d.Fields(v, "metric", nil, nil) // reports it
		return
	}
	var m metricFile
	metricFields.read(d, v, &m)
	if m.name != nil && !metricName().MatchString(m.name.Value) {
		d.Errorf(m.name, "wrong-name", "metric.name %q is not a name for a metric: letters, digits, _ and :", m.name.Value)
	}
	if m.kind != nil {
		d.OneOf(m.kind, "metric.type", "gauge", "counter", "histogram", "boolean")
	}
	if m.low != nil && m.high != nil && *m.low > *m.high {
		d.Errorf(m.limits, "empty-window", "metric.range: min %g is above max %g", *m.low, *m.high)
	}
	raw, err := json.Marshal(map[string]any{"metric": d.Any(v)})
	if err != nil {
		d.Errorf(v, "wrong-type", "metric cannot be written as JSON: %v", err)
		return
	}
	e.Definition = raw
}

func readMetricLabels(d *decoder, v *node.Node) {
	d.Each(v, "metric.labels", func(key string, k, value *node.Node) {
		if !metricKey().MatchString(key) || strings.HasPrefix(key, "__") {
			d.Errorf(k, "wrong-name", "metric.labels: %q is not a name for a label: letters, digits and _, not __ first", key)
		}
		d.String(value, "metric.labels."+key)
	})
}

// MergeEvals lays the evals of a narrower level over those of a wider one: one with the same id takes the other's
// place, the rest follow in order.
func MergeEvals(wide, narrow []*Eval) []*Eval {
	merged := append([]*Eval(nil), wide...)
	at := make(map[string]int, len(wide))
	for i, e := range wide {
		at[e.ID] = i
	}
	for _, e := range narrow {
		if i, ok := at[e.ID]; ok {
			merged[i] = e
			continue
		}
		merged = append(merged, e)
	}
	return merged
}
