package result_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

// TestNoEditHidesAFailure changes each value of each trial that did not pass, in a journal: the line is left out and
// told, or the run is still red.
func TestNoEditHidesAFailure(t *testing.T) {
	t.Parallel()
	tried := 0
	for name, run := range map[string]*result.Run{
		"failed": resulttest.OneFailed(), "errored": resulttest.Errored(), "cancelled": resulttest.Cancelled(),
		"judged": resulttest.Judged(), "measured": resulttest.Measured(),
	} {
		for i := range run.Briefs.Len() {
			trial, err := run.Trials.Trial(i)
			if err != nil {
				t.Fatal(err)
			}
			if trial.Status == result.Passed || trial.Status == result.Skipped {
				continue
			}
			line, err := result.EncodeLine(trial)
			if err != nil {
				t.Fatal(err)
			}
			var doc any
			dec := json.NewDecoder(bytes.NewReader(line))
			dec.UseNumber()
			if err := dec.Decode(&doc); err != nil {
				t.Fatal(err)
			}
			edits(doc, "", func(path string) {
				tried++
				data, err := json.Marshal(doc)
				if err != nil {
					t.Fatal(err)
				}
				if hides(t, data) {
					t.Errorf("%s: %s: %s is green", name, trial.ID, path)
				}
			})
		}
	}
	if tried < 1000 {
		t.Errorf("only %d edits", tried)
	}
}

// notContradicted are keys whose value decides, and that stand in one place only.
var notContradicted = []string{"pass_threshold", "min_score", "max_score"}

// edits makes each edit of a document in turn.
func edits(v any, path string, visit func(path string)) {
	change := func(key string, was any, set func(any)) {
		for _, free := range notContradicted {
			if strings.HasSuffix(key, "."+free) {
				return
			}
		}
		for _, other := range []any{"passed", "skipped", "cancelled", "", true, false, json.Number("0"), json.Number("1"), nil} {
			if fmt.Sprintf("%T", was) == fmt.Sprintf("%T", other) || other == nil || was == nil {
				set(other)
				visit(fmt.Sprintf("%s = %v", key, other))
			}
		}
		set(was)
	}
	switch v := v.(type) {
	case map[string]any:
		for key, was := range v {
			change(path+"."+key, was, func(other any) { v[key] = other })
			delete(v, key)
			visit(path + "." + key + " is gone")
			v[key] = was
			edits(was, path+"."+key, visit)
		}
	case []any:
		for i := range v {
			edits(v[i], fmt.Sprintf("%s[%d]", path, i), visit)
		}
	}
}

// hides reports whether a journal with the line is green, and no word is said.
func hides(t *testing.T, line []byte) bool {
	t.Helper()
	journal := `{"journal":1,"arena":"x","planned":1}` + "\n" + string(line) + "\n" + `{"end":{"duration_ms":1}}` + "\n"
	content, err := result.ReadJournal(memory{bytes.NewReader([]byte(journal))})
	return err == nil && len(content.Damaged) == 0 && !content.Cut && content.Run.Exit(false) == 0
}

// memory is a journal that is only read.
type memory struct{ *bytes.Reader }

func (memory) Write([]byte) (int, error) { return 0, fmt.Errorf("only read") }

func (memory) Sync() error { return nil }
