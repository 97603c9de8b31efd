package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/result"
)

// metricFile is a metric as written in a file.
type metricFile struct {
	result.Metric
	name, kind, limits, buckets *node.Node
	le                          *node.Node // the label le, which histograms set themselves
}

// metricFields are the keys of a metric that have an effect. Other keys are allowed for other readers.
var metricFields = table("metric", func() rows[metricFile] {
	return rows[metricFile]{
		custom("name", text, func(d *decoder, m *metricFile, v *node.Node) {
			m.name, m.Name, m.Pos = v, v.Value, d.Pos(v)
		}).must().doc("The name of the metric."),
		custom("type", metricTypes, func(_ *decoder, m *metricFile, v *node.Node) { m.kind = v }).must().
			doc("How the score is exported."),
		str("help", func(m *metricFile) *string { return &m.Help }).
			doc("The help text; the description of the eval when left out."),
		custom("range", metricRangeFields, func(d *decoder, m *metricFile, v *node.Node) {
			m.limits = v
			metricRangeFields.read(d, v, m)
		}).doc("Between which values the score is."),
		custom("buckets", listOf(number), readBuckets).doc("The upper bounds of a histogram, each above the one before."),
		custom("labels", textMap, readMetricLabels).doc("Further labels with fixed values."),
	}
}).open()

var metricRangeFields = table("range", func() rows[metricFile] {
	return rows[metricFile]{
		numPtr("min", number, func(m *metricFile) **float64 { return &m.Low }).doc("The lowest value."),
		numPtr("max", number, func(m *metricFile) **float64 { return &m.High }).doc("The highest value."),
	}
})

var (
	metricTypes = words(string(result.Gauge), string(result.Counter), string(result.Histogram), string(result.Boolean))
	metricName  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*$`) })
	metricKey   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`) })
)

// metric reads how an eval is exported; nil if it is not a map.
func (d *decoder) metric(v *node.Node) *result.Metric {
	var m metricFile
	if !metricFields.read(d, v, &m) {
		return nil
	}
	d.mistypedMetricKeys(v)
	if m.name != nil && !metricName().MatchString(m.Name) {
		d.Errorf(m.name, "wrong-name", "metric.name %q is not a name for a metric: letters, digits, _ and :", m.Name)
	}
	if m.kind != nil {
		word, _ := d.OneOf(m.kind, "metric.type", metricTypes...)
		m.Type = result.MetricType(word)
	}
	if m.Low != nil && m.High != nil && *m.Low > *m.High {
		d.Errorf(m.limits, "empty-window", "metric.range: min %g is above max %g", *m.Low, *m.High)
	}
	if m.buckets != nil && m.Type != "" && m.Type != result.Histogram {
		d.Errorf(m.buckets, "unused-field", "metric.buckets is for histograms; the metric %q is a %s", m.Name, m.Type)
	}
	if m.le != nil && m.Type == result.Histogram {
		d.Errorf(m.le, "wrong-name", `metric.labels: a histogram has a label "le" already, for its buckets`)
	}
	return &m.Metric
}

// mistypedMetricKeys reports misspelled keys.
func (d *decoder) mistypedMetricKeys(v *node.Node) {
	for i := 0; i+1 < len(v.Content); i += 2 {
		key := v.Content[i]
		if !contains(metricFields.names(), key.Value) && diag.Nearest(key.Value, metricFields.names()) != "" {
			d.Unknown(key, "metric", metricFields.names())
		}
	}
}

// readBuckets reads the upper bounds of a histogram's buckets, in increasing order.
func readBuckets(d *decoder, m *metricFile, v *node.Node) {
	m.buckets = v
	d.Items(v, "metric.buckets", func(i int, item *node.Node) {
		bound, ok := number.Float(d, item, "an entry of metric.buckets")
		if n := len(m.Buckets); ok && i > 0 && n > 0 && bound <= m.Buckets[n-1] {
			d.Errorf(item, "out-of-range", "metric.buckets must rise: %s is not above %g", item.Value, m.Buckets[n-1])
			return
		}
		if ok {
			m.Buckets = append(m.Buckets, bound)
		}
	})
	if v.Kind == node.List && len(v.Content) == 0 {
		d.Errorf(v, "empty-value", "metric.buckets is empty").Hint = "remove the line for ten buckets over the range"
	}
}

func readMetricLabels(d *decoder, m *metricFile, v *node.Node) {
	m.Labels = map[string]string{}
	d.Each(v, "metric.labels", func(key string, k, value *node.Node) {
		if !metricKey().MatchString(key) || strings.HasPrefix(key, "__") {
			d.Errorf(k, "wrong-name", "metric.labels: %q is not a name for a label: letters, digits and _, not __ first", key)
		}
		m.Labels[key], _ = d.String(value, "metric.labels."+key)
		if key == "le" {
			m.le = k
		}
	})
}

// evalMetrics reports evals whose metrics cannot be exported together.
func (b *build) evalMetrics() {
	seen, odd := map[*Eval]bool{}, map[*Eval]bool{} // odd ones conflict with their family
	families := map[string]*result.Metric{}
	clashes := map[[2]*Eval]bool{}
	for _, prompt := range append([]*Prompt{nil}, b.p.Prompts...) {
		series := map[string]*Eval{} // of one conversation
		for _, e := range b.p.EvalsFor(prompt) {
			m := e.Metric
			if !e.Enabled || odd[e] || m.Type == "" || m.Name == "" { // a missing type or name is reported already
				continue
			}
			if families[m.Name] == nil {
				families[m.Name] = m
			}
			if !seen[e] && !b.sameFamily(families[m.Name], m) {
				odd[e] = true
				continue
			}
			seen[e] = true
			key := seriesOf(m)
			if first := series[key]; first != nil && m.Type != result.Counter && !clashes[[2]*Eval{first, e}] {
				clashes[[2]*Eval{first, e}] = true
				b.l.diags.Warnf(m.Pos, utf8.RuneCountInString(m.Name), "conflicting-metric",
					"the evals %q and %q write the same metric %q", first.ID, e.ID, m.Name).
					Hint = "give one of them another metric.name, or metric.labels that tell them apart"
			}
			series[key] = e
		}
	}
}

// sameFamily reports two metrics with the same name and different types.
func (b *build) sameFamily(first, m *result.Metric) bool {
	problem := ""
	switch {
	case first.Type != m.Type:
		problem = fmt.Sprintf("is a %s here and a %s at %s", m.Type, first.Type, first.Pos)
	case !slices.Equal(first.LabelNames(), m.LabelNames()):
		problem = fmt.Sprintf("has the labels %s here and %s at %s", listOrNone(m.LabelNames()),
			listOrNone(first.LabelNames()), first.Pos)
	case !slices.Equal(first.Bounds(), m.Bounds()):
		problem = fmt.Sprintf("has other buckets here than at %s", first.Pos)
	default:
		return true
	}
	b.l.diags.Errorf(m.Pos, utf8.RuneCountInString(m.Name), "conflicting-metric", "the metric %q %s", m.Name, problem).
		Hint = "metrics of one name have one type, the same labels and the same buckets"
	return false
}

func listOrNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// seriesOf names one time series.
func seriesOf(m *result.Metric) string {
	parts := []string{m.Name}
	for _, name := range m.LabelNames() {
		parts = append(parts, name, m.Labels[name])
	}
	return strings.Join(parts, "\x00")
}
