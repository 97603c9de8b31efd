package exposition

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
)

// Group is the samples of a family.
type Group struct {
	Family
	Samples []Sample
}

// Sample is one number. A histogram has several, as the format has it: NAME_bucket with a label le, NAME_sum and
// NAME_count.
type Sample struct {
	Name   string
	Labels []Label // by name, le last
	Value  float64
}

// Gather returns the samples of all families that have series, sorted by name and labels. Sums of fractions are rounded
// to ten digits, so that they do not depend on the order of the additions.
func (r *Registry) Gather() []Group {
	var groups []Group
	for _, name := range slices.Sorted(maps.Keys(r.families)) {
		if v := r.families[name]; len(v.series) > 0 {
			groups = append(groups, Group{v.family, v.samples()})
		}
	}
	return groups
}

func (v *Vec) samples() []Sample {
	var samples []Sample
	byLabels := func(a, b *Series) int {
		return slices.CompareFunc(a.labels, b.labels, func(a, b Label) int { return cmp.Compare(a.Value, b.Value) })
	}
	name := v.family.Name
	for _, s := range slices.SortedFunc(maps.Values(v.series), byLabels) {
		switch v.family.Type {
		case Counter:
			samples = append(samples, Sample{name, s.labels, rounded(s.value)})
		case Gauge:
			samples = append(samples, Sample{name, s.labels, s.value})
		case Histogram:
			samples = s.histogramSamples(name, samples)
		}
	}
	return samples
}

// histogramSamples appends the parts of a histogram.
func (s *Series) histogramSamples(name string, to []Sample) []Sample {
	count := uint64(0)
	for i, n := range s.counts {
		bound := math.Inf(1)
		if i < len(s.bounds) {
			bound = s.bounds[i]
		}
		count += n
		to = append(to, Sample{name + "_bucket", append(slices.Clip(s.labels), Label{le, number(bound)}), float64(count)})
	}
	return append(to, Sample{name + "_sum", s.labels, rounded(s.value)}, Sample{name + "_count", s.labels, float64(count)})
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
