package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/arena-evals/arena/internal/checks/verify"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/guard"
	"github.com/arena-evals/arena/internal/metrics"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// topics are the vectors that are not about a check; each package brings its own. That of the metrics is here, for they
// know nothing of checks.
func topics() []verify.Topic {
	return slices.Concat(verify.Topics(), guard.Topics(), evals.Topics(),
		[]verify.Topic{verify.NewTopic("metrics", judgeMetric)})
}

// metricVector is an eval whose result is recorded, and what Prometheus reads then.
type metricVector struct {
	verify.Head
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

func judgeMetric(_ context.Context, v *metricVector, r *verify.Report) error {
	family, err := v.export()
	if err != nil {
		return err
	}
	sample := family.GetMetric()[0]
	labels := map[string]string{}
	for _, l := range sample.GetLabel() {
		labels[l.GetName()] = l.GetValue()
	}
	if v.Expect.Name != nil { // where it has characters that names cannot have, others are shown in their place
		name := result.DefaultMetric(*v.Expect.Name, diag.Pos{}).Name
		verify.That(r, "name", &name, family.GetName())
	}
	kind := strings.ToLower(family.GetType().String())
	verify.That(r, "prometheus_type", v.Expect.Type, kind)
	if v.Expect.Labels != nil {
		verify.That(r, "labels", new(fmt.Sprint(v.Expect.Labels)), fmt.Sprint(labels)) // which prints maps in order
	}
	spread := sample.GetHistogram()
	value := sample.GetGauge().GetValue() + sample.GetCounter().GetValue() + spread.GetSampleSum() // two of them are 0
	verify.Near(r, "value", v.Expect.Value, value)
	verify.Near(r, "count", v.Expect.Count, float64(spread.GetSampleCount()))
	verify.Near(r, "sum", v.Expect.Sum, spread.GetSampleSum())
	for _, bucket := range spread.GetBucket() {
		if want, asked := v.Expect.Buckets[fmt.Sprint(bucket.GetUpperBound())]; asked {
			verify.Near(r, fmt.Sprint("bucket ", bucket.GetUpperBound()), &want, float64(bucket.GetCumulativeCount()))
		}
	}
	return nil
}

// export records the result as often as it is to be, and reads what comes out.
func (v *metricVector) export() (*dto.MetricFamily, error) {
	var problems diag.List
	list := scenario.ReadEvals("vector.json", bytes.Join([][]byte{{'['}, v.Eval, {']'}}, nil), nil, &problems)
	if problems.Errors() > 0 {
		return nil, errors.New(problems.Sorted()[0].Msg)
	}
	if len(list) != 1 {
		return nil, fmt.Errorf("%d evals where one should be", len(list))
	}
	m, err := metrics.New(metrics.Options{
		Namespace: v.Namespace, Const: v.Const, By: slices.Sorted(maps.Keys(v.Instance)),
		Evals: []*result.Metric{list[0].Metric},
	})
	if err != nil {
		return nil, err
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
			return nil, err
		}
	}
	var text bytes.Buffer
	if err := m.Write(&text); err != nil {
		return nil, err
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(&text)
	if err != nil {
		return nil, err
	}
	for name, family := range families {
		if strings.HasPrefix(name, v.Namespace+"_eval_") {
			return family, nil
		}
	}
	return nil, errors.New("the exposition has no metric of the eval")
}
