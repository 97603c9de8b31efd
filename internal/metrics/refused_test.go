package metrics_test

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/metrics"
	"github.com/arena-evals/arena/internal/result"
)

func TestRefused(t *testing.T) {
	t.Parallel()
	pos := diag.Pos{File: "pack.json", Line: 3, Col: 4}
	metric := func(name string, kind result.MetricType, labels ...string) *result.Metric {
		m := &result.Metric{Name: name, Type: kind, Labels: map[string]string{}, Pos: pos}
		for _, l := range labels {
			m.Labels[l] = "x"
		}
		return m
	}
	for name, c := range map[string]struct {
		change func(o *metrics.Options)
		want   string
	}{
		"namespace":     {func(o *metrics.Options) { o.Namespace = "my-app" }, `namespace "my-app" is no name`},
		"const":         {func(o *metrics.Options) { o.Const = map[string]string{"a-b": "c"} }, `label "a-b" is no name`},
		"reserved":      {func(o *metrics.Options) { o.Const = map[string]string{"__x": "c"} }, `label "__x" is no name`},
		"scraped":       {func(o *metrics.Options) { o.Const = map[string]string{"job": "c"} }, `label "job" belongs to Prometheus`},
		"own":           {func(o *metrics.Options) { o.Const = map[string]string{"provider": "c"} }, "arena sets itself"},
		"twice":         {func(o *metrics.Options) { o.By = []string{"scenario", "scenario"} }, `"scenario" is asked for twice`},
		"both":          {func(o *metrics.Options) { o.By = []string{"env"} }, `label "env" is asked for twice`},
		"gateway":       {func(o *metrics.Options) { o.GatewayLabels = []string{"job", "env"} }, `label "env" is one that the Pushgateway`},
		"gateway's own": {func(o *metrics.Options) { o.GatewayLabels = []string{"job", "status"} }, `label "status" of the Pushgateway`},
		"label of an eval": {func(o *metrics.Options) {
			o.Evals = []*result.Metric{metric("x", result.Gauge, "scenario")}
		}, `metric arena_eval_x (pack.json:3:4): its label "scenario" is also one of the labels of every metric`},
		"gateway of an eval": {func(o *metrics.Options) {
			o.GatewayLabels, o.Evals = []string{"job"}, []*result.Metric{metric("x", result.Gauge, "job")}
		}, `its label "job" is also`},
		"two types": {func(o *metrics.Options) {
			o.Evals = []*result.Metric{metric("x", result.Gauge), metric("arena_eval_x", result.Counter)}
		}, "metric arena_eval_x (pack.json:3:4): it is declared (at pack.json:3:4) with another type"},
		"two sets of labels": {func(o *metrics.Options) {
			o.Evals = []*result.Metric{metric("x", result.Gauge), metric("x", result.Gauge, "a")}
		}, "other labels"},
		"a part of a histogram": {func(o *metrics.Options) {
			o.Evals = []*result.Metric{metric("x", result.Histogram), metric("x_count", result.Gauge)}
		}, "a histogram has parts"},
		"a histogram of a part": {func(o *metrics.Options) {
			o.Evals = []*result.Metric{metric("x_sum", result.Gauge), metric("x", result.Histogram)}
		}, "a histogram has parts"},
		"a name":  {func(o *metrics.Options) { o.Evals = []*result.Metric{metric("a b", "")} }, `"a b" is no name for a metric`},
		"a label": {func(o *metrics.Options) { o.Evals = []*result.Metric{metric("a", "", "c-d")} }, `"c-d" is no name`},
	} {
		o := options()
		c.change(&o)
		if _, err := metrics.New(o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	o := options()
	o.Evals = []*result.Metric{metric("x_sum", result.Gauge), metric("x", result.Gauge), metric("x", result.Gauge)}
	m, err := metrics.New(o)
	if err != nil {
		t.Fatal(err)
	}
	stray := trial(0, result.Passed)
	stray.Evals = []result.EvalResult{eval("stray", nil, 1)}
	if err := m.Handle(result.TrialDone{Trial: stray}); err == nil || !strings.Contains(err.Error(), "no eval of the plan") {
		t.Error(err)
	}
}
