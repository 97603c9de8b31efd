package cli_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/checks/corpustest"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/report/jsonout"
	"github.com/arena-evals/arena/internal/result"
)

// staged is a told conversation with the verdict that is right for it.
type staged struct {
	enacted
	name   string
	passed bool
	score  *float64 // nil: any
}

// outcome is what came of the trial.
type outcome struct {
	refused bool            // before the run
	verdict *result.Verdict // nil: the check was never asked
	log     string
}

// enact has the conversation, and returns the verdict on it.
func (s *staged) enact(t *testing.T, files map[string]any) outcome {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		text, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "out")
	code, log := arena(t, "run", dir, "-o", out, "--format", "json")
	if code == 2 {
		return outcome{refused: true, log: log}
	}
	f, err := os.Open(filepath.Join(out, "results.json"))
	if err != nil {
		t.Fatal(err, log)
	}
	defer f.Close()
	run, err := jsonout.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	trial, err := run.Trials.Trial(0)
	if err != nil {
		t.Fatal(err)
	}
	o := outcome{log: log}
	trial.Checks(func(_, _ int, v *result.Verdict) {
		if v.Score != nil {
			o.verdict = v
		}
	})
	if o.verdict == nil && code == 0 {
		t.Errorf("green, and nobody asked the check\n%s", o.log)
	}
	return o
}

// agrees reports whether the verdict is right. A check that is refused, or never asked, has not passed.
func (s *staged) agrees(o outcome) bool {
	if o.verdict == nil {
		return !s.passed
	}
	right := o.verdict.Status == result.Passed == s.passed
	return right && (s.score == nil || math.Abs(*s.score-*o.verdict.Score) < 1e-5)
}

// enactAll enacts conversations. It returns how many of each check came to a verdict, and how many can be no trial.
func enactAll(t *testing.T, list []*staged) (judged map[string]int, never int) {
	judged = map[string]int{}
	for _, s := range list {
		files, err := s.files()
		if err != nil {
			t.Logf("%s: %s: not enacted: %v", s.Type, s.name, err)
			never++
			continue
		}
		o := s.enact(t, files)
		if !s.agrees(o) {
			text, err := json.Marshal(files)
			if err != nil {
				t.Fatal(err)
			}
			t.Errorf("%s: %s: want passed %v\n%s\n%s", s.Type, s.name, s.passed, o.log, text)
		}
		if o.verdict != nil {
			judged[s.Type]++
		}
	}
	return judged, never
}

// judgesState reports whether a check judges the state of an agent, which trials can bring about.
func judgesState(def *checks.Def) bool {
	return def.About != "" || strings.HasPrefix(def.Name, "skill_")
}

// TestExamplesThroughTrials has the conversations of the examples of the checks of workflows, skills and compositions,
// and holds the verdicts of these trials against the examples.
func TestExamplesThroughTrials(t *testing.T) {
	t.Parallel()
	var list []*staged
	for _, def := range checks.Builtin() {
		if judgesState(def) {
			list = append(list, examplesOf(t, def)...)
		}
	}
	judged, _ := enactAll(t, list)
	for _, def := range checks.Builtin() {
		if judgesState(def) && judged[def.Name] == 0 {
			t.Errorf("no trial came to a verdict of %s", def.Name)
		}
	}
}

func examplesOf(t *testing.T, def *checks.Def) (list []*staged) {
	t.Helper()
	file := filepath.Join("..", "checks", "testdata", def.Name+".yaml")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var problems diag.List
	r := &node.Reader{File: file, Diags: &problems}
	for _, n := range node.Parse(r, data)[0].Content {
		x := struct {
			Name, Type, Scope, Want string
			Bare                    bool
			Params                  map[string]any
			Score                   *float64
			toldTalk
		}{Type: def.Name}
		text, err := json.Marshal(r.Any(n))
		if err == nil {
			err = json.Unmarshal(text, &x)
		}
		if err != nil {
			t.Fatal(file, err)
		}
		if x.Bare { // there is no workflow at all, and the check is refused
			x.Messages = nil
		}
		list = append(list, &staged{
			enacted: enacted{Type: x.Type, Scope: x.Scope, Params: x.Params, Told: x.toldTalk},
			name:    x.Name, passed: x.Want == "passed", score: x.Score,
		})
	}
	return list
}

// TestVectorsThroughTrials does the same with the vectors that lie beside the repository, where there are any.
func TestVectorsThroughTrials(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(corpustest.Dir(t, "checks"), "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var list []*staged
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var vectors struct {
			Type, Scope string
			Vectors     []struct {
				Name    string
				Params  map[string]any
				Context toldTalk
				Expect  struct {
					Passed bool
					Score  *float64
				}
			}
		}
		if json.Unmarshal(data, &vectors) != nil {
			continue // of another check, whose fields are others
		}
		if def, known := checks.Lookup(vectors.Type); !known || !judgesState(def) {
			continue
		}
		for _, v := range vectors.Vectors {
			list = append(list, &staged{
				enacted: enacted{Type: vectors.Type, Scope: vectors.Scope, Params: v.Params, Told: v.Context},
				name:    filepath.Base(file) + ": " + v.Name, passed: v.Expect.Passed, score: v.Expect.Score,
			})
		}
	}
	judged, never := enactAll(t, list)
	total := 0
	for _, n := range judged {
		total += n
	}
	t.Logf("%d vectors, %d came to a verdict in a trial, %d can be no trial", len(list), total, never)
	if total < len(list)/2 {
		t.Error("most vectors were not judged in a trial")
	}
}
