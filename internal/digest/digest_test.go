package digest_test

import (
	"reflect"
	"testing"

	"github.com/arena-evals/arena/internal/digest"
)

type place struct{ Line int }

type inner struct {
	Text  string
	Where place
	Spots []place
}

type outer struct {
	inner

	Name   string
	Number *int
	Limits map[string]float64
	List   []inner
	Any    any
	Other  inner
	Left   string `digest:"-"`
	Ask    func()
	hidden int
}

func rules() *digest.Rules {
	return &digest.Rules{Skip: []reflect.Type{reflect.TypeFor[place]()}}
}

func TestSame(t *testing.T) {
	t.Parallel()
	one, two := 1, 1
	a := outer{
		inner: inner{Text: "x", Where: place{3}}, Number: &one, Limits: map[string]float64{"a": 1, "b": 2, "c": 3}, Left: "here",
	}
	b := outer{
		inner: inner{Text: "x", Spots: []place{{4}}}, Other: inner{Where: place{5}}, Number: &two, Limits: map[string]float64{"c": 3, "b": 2, "a": 1},
		Ask: func() {},
	}
	r := rules()
	if r.Of(a) != r.Of(b) {
		t.Error("values that say the same have different sums")
	}
	if r.Of(a) != rules().Of(b) {
		t.Error("the sum depends on who makes it")
	}
}

// TestDifferent compares all values with each other: similar ones have different digests.
func TestDifferent(t *testing.T) {
	t.Parallel()
	zero, one := 0, 1
	values := []any{
		outer{}, outer{Name: "a"}, outer{Name: "ab"}, outer{inner: inner{Text: "a"}}, outer{Number: &zero},
		outer{Number: &one}, outer{Limits: map[string]float64{"a": 1}}, outer{Limits: map[string]float64{"a": 2}},
		outer{Limits: map[string]float64{"ab": 1}}, outer{List: []inner{{Text: "a"}, {Text: "b"}}},
		outer{List: []inner{{Text: "ab"}}}, outer{List: []inner{{Text: "b"}, {Text: "a"}}}, outer{List: []inner{{}}},
		outer{List: []inner{}}, outer{Any: 1}, outer{Any: "1"}, outer{Any: true}, outer{Any: []any{1}},
		outer{Any: map[string]any{"a": 1}}, outer{hidden: 1}, nil, "", "a", []string{"a", "b"}, []string{"ab"},
		[]byte("ab"), 1, 1.5, uint(2), false, true,
	}
	r := rules()
	for i, a := range values {
		for _, b := range values[:i] {
			if r.Of(a) == r.Of(b) {
				t.Errorf("%#v and %#v have the same sum", a, b)
			}
		}
	}
	if r.Of("a", "b") == r.Of("ab") {
		t.Error("values run together")
	}
}

// TestInline: fields that move into a struct of their own keep the digest, because journals of older versions hold it.
func TestInline(t *testing.T) {
	t.Parallel()
	list := []string{"x"}
	whole := func(name string, count int, list []string) any {
		type it struct {
			Name  string
			Count int
			List  []string
			Last  string
		}
		return it{name, count, list, "z"}
	}
	apart := func(name string, count int, list []string) any {
		type rest struct {
			Count int
			List  []string
		}
		type it struct { // the name of a type counts
			Name string
			Rest *rest `digest:"inline"`
			Last string
		}
		if count == 0 && list == nil {
			return it{Name: name, Last: "z"}
		}
		return it{name, &rest{count, list}, "z"}
	}
	r := rules()
	sums := map[digest.Sum]bool{}
	for _, name := range []string{"", "a"} {
		for _, count := range []int{0, 2} {
			for _, list := range [][]string{nil, list} {
				sum := r.Of(apart(name, count, list))
				if sum != r.Of(whole(name, count, list)) {
					t.Errorf("%q %d %q: another sum", name, count, list)
				}
				sums[sum] = true
			}
		}
	}
	if len(sums) != 8 {
		t.Errorf("%d sums of 8 values", len(sums))
	}
}
