package checks

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/result"
)

type priceParams struct {
	Currency string        `param:"currency,required" alias:"unit" words:"EUR,USD" doc:"Which."`
	Most     float64       `param:"most" default:"100" min:"0"`
	Within   time.Duration `param:"within" default:"2s"`
	Any      any           `param:"any"`
	Ignored  func()
	Rows     []struct {
		Name string `param:"name,required"`
	} `param:"rows"`
}

type funcCheck func(*Subject) (Finding, error)

func (f funcCheck) Eval(_ context.Context, s *Subject) (Finding, error) { return f(s) }

// priceTable is a table with one check, which shows its parameters in its explanation.
func priceTable(t *testing.T) *Table {
	t.Helper()
	d, err := Custom(Def{
		Name: "price", Aliases: []string{"costs"}, Summary: "A price.", Needs: NeedsReply, OnFire: Replaces,
	}, func(p priceParams) (Check, error) {
		switch {
		case p.Most == 13:
			return nil, &BadParam{Param: "most", Err: errors.New("13 brings bad luck")}
		case p.Most == 14:
			return nil, errors.New("not today")
		case p.Most == 15:
			panic("boom")
		case p.Most == 16:
			return nil, nil
		}
		return funcCheck(func(s *Subject) (Finding, error) {
			return Finding{Score: 1, Explanation: fmt.Sprint(p.Currency, p.Most, p.Within, p.Any, p.Rows)}, nil
		}), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	table, err := NewTable(d)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestCustomCompiles(t *testing.T) {
	t.Parallel()
	c := &Compiler{Custom: priceTable(t)}
	spec := checkOf(t, "type: costs\nparams: {unit: EUR, any: {a: [1]}, rows: [{name: x}]}\nmin_score: 0.5\n")
	compiled, problems := report(t, c, spec)
	if compiled == nil {
		t.Fatal(problems)
	}
	v := compiled.Judge(t.Context(), replied("hello"))
	if v.Status != result.Passed || v.Type != "costs" || v.Explanation != "EUR100 2s map[a:[1]] [{x}]" {
		t.Errorf("%+v", v)
	}
	if compiled.Effect() != Replaces {
		t.Error("it should replace")
	}
}

func TestCustomProblems(t *testing.T) {
	t.Parallel()
	table := priceTable(t)
	for text, want := range map[string]string{
		"type: prce\n": `1:7 error [unknown-check] unknown check "prce" = did you mean "price"? ` +
			"`arena checks` lists all of them",
		"type: price\nparams: {curency: EUR}\n": `2:9 error [missing-parameter] price: missing parameter "currency" (one of EUR or ` +
			"USD) = add currency: EUR\n" + `2:10 error [unknown-parameter] price: unknown parameter "curency" = did you mean "currency" (one of EUR or USD)?`,
		"type: price\nparams: {currency: EUR, most: -1}\n": "2:31 error [out-of-range] price: most must be at least 0, found -1",
		"type: price\nparams: {currency: EUR, most: 13}\n": "2:31 error [bad-value] price: most: 13 brings bad luck",
		"type: price\nparams: {currency: EUR, most: 14}\n": "2:9 error [bad-value] price: not today",
		"type: price\nparams: {currency: EUR, most: 16}\n": "2:9 error [bad-value] price: the check was not made",
	} {
		_, got := report(t, &Compiler{Custom: table}, checkOf(t, text))
		if diff := cmp.Diff(want, strings.Join(got, "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	_, got := report(t, &Compiler{Custom: table}, checkOf(t, "type: price\nparams: {currency: EUR, most: 15}\n"))
	if len(got) != 1 || !strings.Contains(got[0], "price: making the check panicked: boom (custom_test.go:") {
		t.Errorf("a panic: %q", got)
	}
}

func TestTableRefusesNames(t *testing.T) {
	t.Parallel()
	def := func(names ...string) *Def { return &Def{Name: names[0], Aliases: names[1:]} }
	for _, c := range []struct {
		defs []*Def
		want string
	}{
		{[]*Def{def("mine", "ours")}, ""},
		{[]*Def{def("contains")}, `check "contains": the name "contains" is taken: it is a check of arena; choose another one`},
		{[]*Def{def("mine", "banned_words")}, `check "mine": the alias "banned_words" is taken: it is a check of arena, ` +
			"content_excludes, by another name; choose another one"},
		{[]*Def{def("mine"), def("other", "mine")}, `check "other": the alias "mine" is taken: it is a check that is registered ` +
			"already; choose another one"},
		{[]*Def{def("assertion")}, `check "assertion": the name "assertion" is taken: it is how the long spelling of a check begins`},
		{[]*Def{def("a b")}, `check "a b": the name "a b" cannot be used: expected a letter, then letters, digits, dots and the ` +
			"signs _ and -"},
	} {
		got := ""
		if _, err := NewTable(c.defs...); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

type loop struct {
	Next []loop `param:"next"`
}

func TestCustomRefusesParams(t *testing.T) {
	t.Parallel()
	const name = `check "mine": `
	for want, got := range map[string]error{
		"": refusal[struct {
			A *int `param:"a"`
		}](),
		name + "its parameters are int; expected a struct": refusal[int](),
		name + "field a: it is not exported, so nothing can be put into it": refusal[struct {
			a int `param:"a"`
		}](),
		name + `field A: no parameter can be of type int64; possible are bool, int, float64, string, time.Duration, any, ` +
			"structs of these, and pointers to, lists of and maps from string to all of them": refusal[struct {
			A int64 `param:"a"`
		}](),
		name + `field A: "min_score" is read by arena itself and cannot be a parameter`: refusal[struct {
			A float64 `param:"min_score"`
		}](),
		name + `field B: there are two parameters "a"`: refusal[struct {
			A int `param:"a"`
			B int `param:"b" alias:"a"`
		}](),
		name + `field A: its tag default is "many", which is no whole number`: refusal[struct {
			A int `param:"a" default:"many"`
		}](),
		name + `field A: its tag max is "many"; expected a number`: refusal[struct {
			A int `param:"a" max:"many"`
		}](),
		name + `field A: its tag param is "a,omitempty"; expected a name, or a name and ",required"`: refusal[struct {
			A int `param:"a,omitempty"`
		}](),
		name + `field A: its tag param is empty; expected param:"name"`: refusal[struct {
			A int `param:""`
		}](),
		name + "field Next: checks.loop holds itself": refusal[loop](),
	} {
		text := ""
		if got != nil {
			text = got.Error()
		}
		if diff := cmp.Diff(want, text); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func refusal[P any]() error {
	_, err := Custom(Def{Name: "mine"}, func(P) (Check, error) { return nil, nil })
	return err
}
