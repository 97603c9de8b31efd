package selection_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/selection"
)

func TestPatterns(t *testing.T) {
	t.Parallel()
	names := []string{"refund", "refund-late", "mail", "call"}
	for _, c := range []struct {
		words   []string
		want    string // the names that are kept
		problem string // a part of the only problem; "": there is none
	}{
		{nil, "refund refund-late mail call", ""},
		{[]string{"refund"}, "refund", ""},
		{[]string{"refund, mail"}, "refund mail", ""},
		{[]string{"refund*"}, "refund refund-late", ""},
		{[]string{"?all", "mai[kl]"}, "mail call", ""},
		{[]string{"re:^refund-"}, "refund-late", ""},
		{[]string{"re:l{1,2}$"}, "mail call", ""}, // the comma is one of the pattern
		{[]string{"re:(ma|ca)l,refund"}, "refund call", ""},
		{[]string{"!mail"}, "refund refund-late call", ""},
		{[]string{"refund*", "!*-late"}, "refund", ""},
		{[]string{"!re:l$"}, "refund refund-late", ""},
		{[]string{"refnud"}, "", `--scenario refnud: there is no scenario of that name`},
		{[]string{"refund", "x*"}, "refund", `--scenario x*: it matches no scenario`},
		{[]string{"!x"}, "refund refund-late mail call", `--scenario !x: there is no scenario of that name`},
		{[]string{"["}, "", "a bracket is not closed"},
		{[]string{"re:("}, "", "missing closing )"},
		{[]string{"re:"}, "", "the pattern is empty"},
		{[]string{"!"}, "refund refund-late mail call", "the pattern is empty"},
	} {
		var d diag.List
		f := selection.NewPatterns("scenario", c.words, &d)
		var kept []string
		for _, name := range names {
			matches := f.Matches(name)
			if keeps := f.Keeps(name); keeps != matches {
				t.Errorf("%q: Keeps(%s) is %t, Matches is %t", c.words, name, keeps, matches)
			} else if keeps {
				kept = append(kept, name)
			}
		}
		f.Missing(&d, "scenario")
		if got := strings.Join(kept, " "); got != c.want {
			t.Errorf("%q keeps %q, want %q", c.words, got, c.want)
		}
		problems := d.Sorted()
		if c.problem == "" && len(problems) == 0 {
			continue
		}
		if c.problem == "" || len(problems) != 1 || !strings.Contains(problems[0].Msg, c.problem) {
			t.Errorf("%q: problems %v, want one with %q", c.words, problems, c.problem)
		}
	}
}

// TestNamesAreNoPatterns: a filter of names takes a name with signs of patterns as it is.
func TestNamesAreNoPatterns(t *testing.T) {
	t.Parallel()
	f := selection.NewFilter("provider", []string{"gpt-*", "!x"})
	if !f.Keeps("gpt-*") || f.Keeps("gpt-4o") || !f.Keeps("!x") || f.Empty() {
		t.Error("a name is taken for a pattern")
	}
	if !f.Keeps("other", "gpt-*") {
		t.Error("a resource is kept by any of its names")
	}
}

// TestUnusedFilter: a name that exists and that the run does not use is another mistake than one that does not exist.
func TestUnusedFilter(t *testing.T) {
	t.Parallel()
	for _, incomplete := range []bool{false, true} {
		var d diag.List
		f := selection.NewFilter("provider", []string{"gpt"})
		f.Known, f.Incomplete = []string{"gpt"}, incomplete
		f.Missing(&d, "provider")
		problems := d.Sorted()
		warned := len(problems) == 1 && problems[0].Code == "unused-filter"
		if warned == incomplete || len(problems) > 1 {
			t.Errorf("incomplete %t: %v", incomplete, problems)
		}
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	got := selection.Split([]string{"eu, us", "", " us ,", "asia"})
	if diff := cmp.Diff([]string{"eu", "us", "asia"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if selection.CountRegions(nil) != 1 || selection.CountRegions([]string{"eu,us,eu"}) != 2 {
		t.Error("regions are not counted as they are run")
	}
}

func TestIDAndAlias(t *testing.T) {
	t.Parallel()
	if got := selection.IDAndAlias(&scenario.Meta{ID: "refund"}); !slices.Equal(got, []string{"refund"}) {
		t.Errorf("%q", got)
	}
	if got := selection.IDAndAlias(&scenario.Meta{ID: "refund", Alias: "r1"}); !slices.Equal(got, []string{"refund", "r1"}) {
		t.Errorf("%q", got)
	}
}
