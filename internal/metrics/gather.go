package metrics

import (
	"math"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// steady reads metrics so that they do not tell in which order trials ended: sums of fractions lose the digits that
// depend on the order of adding.
type steady struct{ prometheus.Gatherer }

// Gather implements prometheus.Gatherer.
func (s steady) Gather() ([]*dto.MetricFamily, error) {
	families, err := s.Gatherer.Gather()
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if c := m.GetCounter(); c != nil {
				c.Value = new(rounded(c.GetValue()))
			}
			if h := m.GetHistogram(); h != nil {
				h.SampleSum = new(rounded(h.GetSampleSum()))
			}
		}
	}
	return families, err
}

// rounded keeps ten digits of a fraction. Whole numbers are exact.
func rounded(v float64) float64 {
	if v == math.Trunc(v) {
		return v
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 10, 64), 64)
	if err != nil { // there is no such number
		return v
	}
	return short
}
