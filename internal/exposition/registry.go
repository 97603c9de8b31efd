// Package exposition keeps counters, gauges and histograms, and writes them in the text format of Prometheus, version
// 0.0.4. It is as much as a program that writes a few dozen series needs: what the official client brings along besides
// costs every start of arena more than all of a small run. That client reads what is written here, in tests.
package exposition

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/sortby"
)

// Type is the type of a family.
type Type string

// Types of families.
const (
	Counter   Type = "counter"
	Gauge     Type = "gauge"
	Histogram Type = "histogram"
)

// Family describes metrics of one name.
type Family struct {
	Name    string
	Type    Type
	Labels  []string // that tell its series apart
	Help    string
	Buckets []float64 // of a histogram: upper bounds, rising; one without a bound comes on top
}

// Registry holds families and their series. It is not safe for concurrent use.
type Registry struct {
	fixed    []Label
	families map[string]*Vec
}

// NewRegistry makes a registry that gives every series some labels besides its own.
func NewRegistry(fixed map[string]string) *Registry {
	r := &Registry{families: map[string]*Vec{}}
	for _, name := range slices.Sorted(maps.Keys(fixed)) {
		r.fixed = append(r.fixed, Label{name, validUTF8(fixed[name])})
	}
	return r
}

// le is the label of a histogram's buckets.
const le = "le"

// Register adds a family without series. It refuses a name that is invalid or taken, a label that is invalid, repeated
// or set by the registry, and buckets that do not rise.
func (r *Registry) Register(f Family) (*Vec, error) {
	switch {
	case !ValidName(f.Name):
		return nil, fmt.Errorf("%q is no name for a metric", f.Name)
	case r.families[f.Name] != nil:
		return nil, fmt.Errorf("there is a metric %q already", f.Name)
	case !areRising(f.Buckets):
		return nil, fmt.Errorf("the buckets %v do not rise", f.Buckets)
	}
	if n := len(f.Buckets); n > 0 && math.IsInf(f.Buckets[n-1], 1) {
		f.Buckets = f.Buckets[:n-1]
	}
	labels := slices.Clone(r.fixed)
	for _, name := range f.Labels {
		labels = append(labels, Label{Name: name})
	}
	sortby.Func(labels, func(a, b Label) int { return cmp.Compare(a.Name, b.Name) })
	v := &Vec{family: f, labels: labels, own: make([]int, len(f.Labels)), series: map[string]*Series{}}
	for i, l := range labels {
		switch {
		case !ValidLabel(l.Name) || l.Name == le && f.Type == Histogram:
			return nil, fmt.Errorf("%q is no name for a label", l.Name)
		case i > 0 && l.Name == labels[i-1].Name:
			return nil, fmt.Errorf("it has two labels called %q", l.Name)
		}
		if at := slices.Index(f.Labels, l.Name); at >= 0 {
			v.own[at] = i
		}
	}
	r.families[f.Name] = v
	return v, nil
}

func areRising(bounds []float64) bool {
	for i := 1; i < len(bounds); i++ {
		if !(bounds[i] > bounds[i-1]) { // nor does what is no number
			return false
		}
	}
	return true
}

// ValidName reports whether every reader takes a name for that of a metric; those since Prometheus 3 take more.
func ValidName(name string) bool { return isWord(strings.ReplaceAll(name, ":", "_")) }

// ValidLabel reports whether every reader takes a name for that of a label.
func ValidLabel(name string) bool { return isWord(name) }

// isWord holds a text against [a-zA-Z_][a-zA-Z0-9_]*.
func isWord(name string) bool {
	for i, c := range []byte(name) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// validUTF8 makes what can be written out of any bytes.
func validUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
