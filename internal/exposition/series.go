package exposition

import (
	"fmt"
	"slices"
	"sort"
)

// Label is a label of a series.
type Label struct{ Name, Value string }

// Vec is a family with its series. Like the registry it is not safe for concurrent use.
type Vec struct {
	family Family
	labels []Label // of every series, sorted by name; those of the family lack their value
	own    []int   // where in labels those of the family are
	series map[string]*Series
	key    []byte // scratch
}

// With returns the series with these values of the family's labels, in the order in which the family names them. A
// series is there, with the value 0, from the first time that it was asked for.
func (v *Vec) With(values ...string) *Series {
	if len(values) != len(v.own) {
		panic(fmt.Sprintf("exposition: %s has %d labels and got %d values", v.family.Name, len(v.own), len(values)))
	}
	v.key = v.key[:0]
	for _, value := range values {
		v.key = append(append(v.key, validUTF8(value)...), 0xff) // which is no part of any text
	}
	if s := v.series[string(v.key)]; s != nil {
		return s
	}
	s := &Series{labels: slices.Clone(v.labels), bounds: v.family.Buckets}
	for i, value := range values {
		s.labels[v.own[i]].Value = validUTF8(value)
	}
	if v.family.Type == Histogram {
		s.counts = make([]uint64, len(s.bounds)+1)
	}
	v.series[string(v.key)] = s
	return s
}

// Series is one line of numbers, or the few of a histogram.
type Series struct {
	labels []Label // sorted by name
	value  float64 // of a histogram: the sum
	bounds []float64
	counts []uint64 // observations by bucket, the last without a bound; nil when this is no histogram
}

// Add moves a counter or a gauge.
func (s *Series) Add(n float64) { s.value += n }

// Set sets a gauge.
func (s *Series) Set(value float64) { s.value = value }

// Observe adds to a histogram.
func (s *Series) Observe(value float64) {
	s.value += value
	s.counts[sort.SearchFloat64s(s.bounds, value)]++
}
