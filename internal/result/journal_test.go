package result

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func newJournal(t *testing.T, trials ...*Trial) (*Journal, *os.File) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	j, err := NewJournal(f, JournalHeader{Arena: "test", Started: time.Unix(0, 0).UTC(), Planned: len(trials)})
	if err != nil {
		t.Fatal(err)
	}
	var done []TrialDone
	for _, trial := range trials {
		line, err := EncodeLine(trial)
		if err != nil {
			t.Fatal(err)
		}
		done = append(done, TrialDone{Trial: trial, Line: line})
	}
	if err := j.Append(done); err != nil {
		t.Fatal(err)
	}
	return j, f
}

func hostile(index int, text string) *Trial {
	trial := trialOf(index, 1, 1)
	trial.ID = fmt.Sprintf("s%d/p/default", index)
	trial.Turns[0].Assistant = text
	return trial
}

func TestJournalReadsBackWhatItWrote(t *testing.T) {
	t.Parallel()
	texts := []string{`,"trial":{"x":1}`, "line\nbreak\u2028 </script>", "\x1b[31m red"}
	// in the order in which they finished, which is not the order of the plan
	j, f := newJournal(t, hostile(2, texts[2]), hostile(0, texts[0]), hostile(1, texts[1]))
	if err := j.Close(JournalFooter{DurationMS: 12.5, Warnings: []string{"w"}}); err != nil {
		t.Fatal(err)
	}
	run, truncated, err := ReadJournal(f)
	if err != nil || truncated {
		t.Fatalf("truncated %v, error %v", truncated, err)
	}
	if run.DurationMS != 12.5 || len(run.Warnings) != 1 || run.Status != Passed || run.Arena != "test" {
		t.Errorf("header or footer lost: %+v", run)
	}
	for i, want := range texts {
		trial, err := run.Trials.Trial(i)
		if err != nil {
			t.Fatal(err)
		}
		if trial.Index != i || trial.Turns[0].Assistant != want {
			t.Errorf("trial %d: index %d, text %q, want %q", i, trial.Index, trial.Turns[0].Assistant, want)
		}
	}
}

// A killed process leaves half a line; everything before it counts, and the run does not look finished.
func TestJournalOfAKilledRun(t *testing.T) {
	t.Parallel()
	_, f := newJournal(t, hostile(0, "a"), hostile(1, "b"))
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(info.Size() - 5); err != nil {
		t.Fatal(err)
	}
	run, truncated, err := ReadJournal(f)
	if err != nil || !truncated {
		t.Fatalf("truncated %v, error %v", truncated, err)
	}
	if len(run.Briefs) != 1 || run.Status != Cancelled || run.Exit(false) != ExitError {
		t.Errorf("%d trials, status %s, exit %d", len(run.Briefs), run.Status, run.Exit(false))
	}
}

func TestJournalRefusesWhatIsNotOne(t *testing.T) {
	t.Parallel()
	head := `{"journal":1,"arena":"x","started":"2026-01-01T00:00:00Z","planned":1,"fail_on":null}` + "\n"
	good, err := EncodeLine(hostile(0, "a"))
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct{ text, want string }{
		"empty":         {"", ErrNotJournal.Error()},
		"results":       {"{\n \"schema_version\": 1}", ErrNotJournal.Error()},
		"newer version": {`{"journal":99}` + "\n", "version 99"},
		"corrupt line":  {head + "{oops\n" + string(good), "line 2: corrupt journal"},
		"foreign line":  {head + "{\"a\":1}\n", "line 2: corrupt journal"},
		"same trial":    {head + string(good) + string(good), "line 3: corrupt journal: trial s0/p/default stands there twice"},
		"bad status":    {head + strings.Replace(string(good), `"passed"`, `"perfect"`, 1), `unknown status "perfect"`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := os.Create(filepath.Join(t.TempDir(), "j"))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = f.Close() }()
			if _, err := f.WriteString(c.text); err != nil {
				t.Fatal(err)
			}
			if _, _, err := ReadJournal(f); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// fullDisk fails as a disk without space does.
type fullDisk struct{ *os.File }

var errFull = errors.New("no space left on device")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestJournalReportsAFullDisk(t *testing.T) {
	t.Parallel()
	if _, err := NewJournal(fullDisk{}, JournalHeader{}); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
}

func TestUnsetIsNeverWritten(t *testing.T) {
	t.Parallel()
	if _, err := EncodeLine(&Trial{ID: "x"}); err == nil {
		t.Error("a trial without status was written")
	}
}
