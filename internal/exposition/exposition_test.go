package exposition_test

import (
	"bytes"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/arena-evals/arena/internal/exposition"
)

// hostile are values of labels, the last of which are one.
var hostile = []string{"", "a", `"}`, "\\", "a\nb", "a\\nb", "ä\x00\r\t", "\u2028", "z\xff", "z\uFFFD"}

// register adds a family that must be one.
func register(t testing.TB, r *exposition.Registry, f exposition.Family) *exposition.Vec {
	t.Helper()
	v, err := r.Register(f)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func validUTF8(t testing.TB, r *exposition.Registry) string {
	t.Helper()
	var b bytes.Buffer
	if err := exposition.Text(&b, r.Gather()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestLikeTheClient gives the same numbers to the official client, which writes the same bytes.
func TestLikeTheClient(t *testing.T) {
	t.Parallel()
	fixed := map[string]string{"env": "ci", "a": `x"`}
	ours, theirs := exposition.NewRegistry(fixed), prometheus.NewRegistry()
	with := prometheus.WrapRegistererWith(fixed, theirs)
	names, bounds, help := []string{"z", "b"}, []float64{-1, 0, .25, 1e6, math.Inf(1)}, "Help \\ of\n\"it\"."

	counter := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "c_total", Help: help}, names)
	gauge := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "g", Help: help}, names)
	spread := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "h", Help: help, Buckets: bounds}, names)
	plain := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "plain", Help: "No label of its own."}, nil)
	idle := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "idle", Help: "Has no series."}, nil)
	with.MustRegister(counter, gauge, spread, plain, idle)

	ourSpread := register(t, ours, exposition.Family{
		Name: "h", Type: exposition.Histogram, Labels: names, Help: help, Buckets: bounds,
	})
	ourGauge := register(t, ours, exposition.Family{Name: "g", Type: exposition.Gauge, Labels: names, Help: help})
	ourCounter := register(t, ours, exposition.Family{Name: "c_total", Type: exposition.Counter, Labels: names, Help: help})
	ourPlain := register(t, ours, exposition.Family{Name: "plain", Type: exposition.Gauge, Help: "No label of its own."})
	register(t, ours, exposition.Family{Name: "idle", Type: exposition.Gauge, Help: "Has no series."})

	numbers := []float64{0, 1, -1, .25, .5, 1e6, 123456789, 1e21, 1.5e-7, math.Inf(1), math.Inf(-1), math.NaN()}
	for i, value := range hostile {
		for j, n := range numbers {
			ourGauge.With(value, hostile[j%len(hostile)]).Set(n)
			gauge.WithLabelValues(clean(value), clean(hostile[j%len(hostile)])).Set(n)
			ourSpread.With(value, "b").Observe(n * float64(i))
			spread.WithLabelValues(clean(value), "b").Observe(n * float64(i))
			ourCounter.With("", value).Add(max(0, math.Floor(n)))
			counter.WithLabelValues("", clean(value)).Add(max(0, math.Floor(n)))
		}
	}
	ourPlain.With().Add(-2)
	plain.WithLabelValues().Add(-2)

	families, err := theirs.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(theirText(t, families), validUTF8(t, ours)); diff != "" {
		t.Errorf("(-theirs +ours):\n%s", diff)
	}
}

func clean(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func theirText(t testing.TB, families []*dto.MetricFamily) string {
	t.Helper()
	var b bytes.Buffer
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(&b, f); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// FuzzText: whatever stands in help texts and labels, the official parser reads it as it was.
func FuzzText(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, s, 0.1)
	}
	f.Fuzz(func(t *testing.T, help, value string, n float64) {
		r := exposition.NewRegistry(map[string]string{"fixed": value})
		v := register(t, r, exposition.Family{
			Name: "h", Type: exposition.Histogram, Labels: []string{"own"}, Help: help, Buckets: []float64{0.5},
		})
		v.With(value).Observe(n)
		written := validUTF8(t, r)
		parser := expfmt.NewTextParser(model.LegacyValidation)
		families, err := parser.TextToMetricFamilies(strings.NewReader(written))
		if err != nil || len(families) != 1 {
			t.Fatalf("%v\n%s", err, written)
		}
		h := families["h"]
		for _, l := range h.GetMetric()[0].GetLabel() {
			if l.GetValue() != clean(value) {
				t.Errorf("label %s: %q, want %q", l.GetName(), l.GetValue(), clean(value))
			}
		}
		if got := h.GetMetric()[0].GetHistogram(); got.GetSampleCount() != 1 || len(got.GetBucket()) != 2 {
			t.Errorf("%v\n%s", got, written)
		}
		if h.Help == nil || h.GetHelp() != clean(help) { // readers pass over white space before a help text
			if got := h.GetHelp(); got != strings.TrimLeft(clean(help), " \t") {
				t.Errorf("help %q, want %q", got, clean(help))
			}
			return
		}
		if again := theirText(t, []*dto.MetricFamily{h}); again != written {
			t.Errorf("%q, want %q", again, written)
		}
	})
}

func TestContentType(t *testing.T) {
	t.Parallel()
	header := http.Header{"Content-Type": {exposition.ContentType}}
	if got := expfmt.ResponseFormat(header).FormatType(); got != expfmt.TypeTextPlain {
		t.Errorf("read as %v", got)
	}
}

// TestSteady: sums do not tell in which order they were added up.
func TestSteady(t *testing.T) {
	t.Parallel()
	parts := []float64{0.1, 0.2, 0.3, 1e-3, 7}
	var want string
	for i := range parts {
		r := exposition.NewRegistry(nil)
		count := register(t, r, exposition.Family{Name: "c_total", Type: exposition.Counter})
		spread := register(t, r, exposition.Family{Name: "h", Type: exposition.Histogram, Buckets: []float64{1}})
		for _, n := range slices.Concat(parts[i:], parts[:i]) {
			count.With().Add(n)
			spread.With().Observe(n)
		}
		got := validUTF8(t, r)
		if want == "" {
			want = got
		}
		if got != want || !strings.Contains(got, "c_total 7.601\n") || !strings.Contains(got, "h_sum 7.601\n") {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
}
