package selection_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/dataset"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/selection"
)

// indexed is a dataset of these lines.
func indexed(t *testing.T, lines string) *scenario.Dataset {
	t.Helper()
	set := &scenario.Dataset{File: dataset.New("a.jsonl", dataset.InMemory([]byte(lines)))}
	var d diag.List
	if !set.Index(&d) {
		t.Fatal(d.Sorted())
	}
	return set
}

// TestSampleIsTheSame: a sample goes by ids and the seed, and by nothing else.
func TestSampleIsTheSame(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&lines, "{\"id\": \"r%d\"}\n", i)
	}
	set := indexed(t, lines.String())
	draw := func(seed int64, n int) []int32 { return selection.SampleRows(set, selection.AllRows(set), n, seed) }
	if got := draw(0, 5); !slices.Equal(got, []int32{0, 47, 62, 138, 996}) {
		t.Errorf("the sample is %v: reports of older runs have another one", got)
	}
	if slices.Equal(draw(1, 50), draw(0, 50)) || len(draw(1, 50)) != 50 {
		t.Error("the seed does not count")
	}
	more := draw(0, 50)
	for _, row := range draw(0, 5) {
		if !slices.Contains(more, row) {
			t.Errorf("the larger sample lacks row %d", row)
		}
	}
}

func TestRowFilter(t *testing.T) {
	t.Parallel()
	set := indexed(t, "{\"id\":\"a\"}\n{\"id\":3}\n{\"id\":\"2-9\"}\n{}\n")
	for _, c := range []struct {
		words, want, problem string
	}{
		{"a", "[0]", ""}, {"2-4,1", "[0 1 2 3]", ""}, {"row-4", "[3]", ""}, {"id=3", "[1]", ""}, {"1", "[0]", ""},
		{"id=2-9", "[2]", ""},
		{"3", "[1 2]", "--rows 3: row 3 of a.jsonl has another id, and row 2 has this one"},
		{"2-3,1", "[0 1 2]", ""}, {"3-4", "[2 3]", "--rows 3-4 goes by the numbers of rows, and the ids are numbers too: " +
			"row 2 of a.jsonl has the id 3, and would not be run"},
		{"b", "[]", "--rows b: there is no such row in a.jsonl"},
		{"id=1", "[]", "--rows id=1: there is no such row in a.jsonl"},
		{"0", "[]", "--rows 0: there is no such row in a.jsonl"},
		{"5-9", "[]", "--rows 5-9: there is no such row in a.jsonl"},
		{"-1", "[]", "--rows -1: there is no such row in a.jsonl"},
	} {
		var d diag.List
		f := selection.NewRowFilter([]string{c.words}, &d)
		got := fmt.Sprint(f.Choose(set))
		f.Missing(&d)
		problem := ""
		if all := d.Sorted(); len(all) > 0 {
			problem = all[0].Msg
		}
		if got != c.want || problem != c.problem {
			t.Errorf("--rows %s selects %s: %q", c.words, got, problem)
		}
	}
}
