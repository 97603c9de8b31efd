package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/exposition"
	"github.com/arena-evals/arena/internal/metrics"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// metricVector is an eval whose result is recorded, and the metrics that Prometheus then reads.
type metricVector struct {
	Head
	Eval      json.RawMessage   `json:"eval"`
	Namespace string            `json:"namespace"`
	Const     map[string]string `json:"const_labels"`
	Instance  map[string]string `json:"instance_labels"`
	Result    struct {
		Score       *float64 `json:"score"`
		MetricValue *float64 `json:"metric_value"`
		Error       string   `json:"error"`
		Skipped     bool     `json:"skipped"`
	} `json:"result"`
	Times  *int `json:"times"`
	Expect struct {
		Name    *string            `json:"name"`
		Type    *string            `json:"prometheus_type"`
		Labels  map[string]string  `json:"labels"`
		Value   *float64           `json:"value"`
		Count   *float64           `json:"count"`
		Sum     *float64           `json:"sum"`
		Buckets map[string]float64 `json:"buckets"` // upper bound → how many are not above it
	} `json:"expect"`
}

func judgeMetric(_ context.Context, v *metricVector, r *Report) error {
	group, err := v.export()
	if err != nil {
		return err
	}
	if v.Expect.Name != nil { // where it has characters that names cannot have, others are shown in their place
		name := result.DefaultMetric(*v.Expect.Name, diag.Pos{}).Name
		That(r, "name", &name, group.Name)
	}
	That(r, "prometheus_type", v.Expect.Type, string(group.Type))
	if v.Expect.Labels != nil {
		labels := map[string]string{}
		for _, l := range group.Samples[len(group.Samples)-1].Labels { // no bucket, which has one more
			labels[l.Name] = l.Value
		}
		That(r, "labels", new(fmt.Sprint(v.Expect.Labels)), fmt.Sprint(labels)) // which prints maps in order
	}
	v.judgeSamples(group, r)
	return nil
}

func (v *metricVector) judgeSamples(group exposition.Group, r *Report) {
	var value, sum, count float64 // 0 where the metric has no such number
	for _, s := range group.Samples {
		switch strings.TrimPrefix(s.Name, group.Name) {
		case "":
			value = s.Value
		case "_sum":
			sum, value = s.Value, s.Value
		case "_count":
			count = s.Value
		case "_bucket":
			bound := s.Labels[len(s.Labels)-1].Value
			if want, asked := v.Expect.Buckets[bound]; asked {
				Near(r, "bucket "+bound, &want, s.Value)
			}
		}
	}
	Near(r, "value", v.Expect.Value, value)
	Near(r, "count", v.Expect.Count, count)
	Near(r, "sum", v.Expect.Sum, sum)
}

// export records the result as often as the vector says, and returns the metrics.
func (v *metricVector) export() (exposition.Group, error) {
	var none exposition.Group
	var problems diag.List
	list := scenario.ReadEvals("vector.json", bytes.Join([][]byte{{'['}, v.Eval, {']'}}, nil), nil, &problems)
	if problems.Errors() > 0 {
		return none, errors.New(problems.Sorted()[0].Msg)
	}
	if len(list) != 1 {
		return none, fmt.Errorf("%d evals where one should be", len(list))
	}
	m, err := metrics.New(metrics.Options{
		Namespace: v.Namespace, Const: v.Const, By: slices.Sorted(maps.Keys(v.Instance)),
		Evals: []*result.Metric{list[0].Metric},
	})
	if err != nil {
		return none, err
	}
	times := 1
	if v.Times != nil {
		times = *v.Times
	}
	for i := range times {
		err := m.Handle(result.TrialDone{Trial: &result.Trial{
			Index: i, Status: result.Passed, Labels: v.Instance,
			Evals: []result.EvalResult{{
				ID: list[0].ID, Score: v.Result.Score, MetricValue: v.Result.MetricValue, Error: v.Result.Error,
				Skipped: v.Result.Skipped, Metric: list[0].Metric,
			}},
		}})
		if err != nil {
			return none, err
		}
	}
	for _, group := range m.Gather() {
		if strings.HasPrefix(group.Name, v.Namespace+"_eval_") {
			return group, nil
		}
	}
	return none, errors.New("the exposition has no metric of the eval")
}
