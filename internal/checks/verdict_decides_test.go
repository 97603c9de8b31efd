package checks

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/result"
)

// TestMustPass: an eval that must pass uses the check's own rule, unless it has a min_score.
func TestMustPass(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		score    float64
		low, top *float64
		holds    *bool
		want     result.Status
	}{
		{"a full score", 1, nil, nil, nil, result.Passed},
		{"a lower one", 0.9, nil, nil, nil, result.Failed},
		{"the check's own limit holds", 0.3, nil, nil, new(true), result.Passed},
		{"the check's own limit does not", 1, nil, nil, new(false), result.Failed},
		{"a least score is there instead", 0.6, new(0.5), nil, new(false), result.Passed},
		{"below the least score", 0.4, new(0.5), nil, new(true), result.Failed},
		{"a highest score is asked besides", 0.3, nil, new(0.2), new(true), result.Failed},
		{"both hold", 0.1, nil, new(0.2), new(true), result.Passed},
		{"only the highest score holds", 0.1, nil, new(0.2), nil, result.Failed},
	} {
		c := &Compiled{
			Spelling: &Spelling{Def: containsDef, Type: "contains"},
			Terms:    &Terms{MinScore: tc.low, MaxScore: tc.top, MustPass: true},
		}
		c.Check = stub(func(context.Context, *Subject) (Finding, error) {
			return Finding{Score: tc.score, Holds: tc.holds}, nil
		})
		if v := c.Judge(t.Context(), replied("x")); v.Status != tc.want || !c.Gates() {
			t.Errorf("%s: %+v", tc.name, v)
		}
	}
}

// TestDecidesItself: every check whose code sets Holds declares it.
func TestDecidesItself(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	own := map[string]bool{}
	sets := regexp.MustCompile(`Holds: |\.Holds = `)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file, "_test.go") && sets.Match(text) {
			own[file] = true
		}
	}
	if len(own) == 0 {
		t.Fatal("no check has a limit of its own")
	}
	for _, def := range builtin {
		c := &Compiled{Spelling: &Spelling{Def: def, Type: def.Name}, Terms: &Terms{MustPass: true}}
		if c.DecidesItself() != own[fileOf(def)] {
			t.Errorf("%s: %t", def.Name, c.DecidesItself())
		}
		delete(own, fileOf(def))
	}
	for file := range own {
		t.Errorf("%s has no check", file)
	}
}
