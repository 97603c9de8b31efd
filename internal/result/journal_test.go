package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/chat"
)

func newJournal(t testing.TB, trials ...*Trial) (*Journal, *os.File) {
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
	trial.Turns[0].Messages = []chat.Message{{Role: chat.Assistant, Content: text}}
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
	ledger, err := ReadJournal(f)
	if err != nil || ledger.Cut || len(ledger.Damaged) > 0 || !ledger.Ended {
		t.Fatalf("%+v, error %v", ledger, err)
	}
	run := ledger.Run
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

// TestJudgingStandsBesideTheTrial: results.json has a trial as it was judged, whatever its judgement asked for.
func TestJudgingStandsBesideTheTrial(t *testing.T) {
	t.Parallel()
	trial := hostile(0, `","judging":"x"}`)
	trial.Judging = "00ff"
	for name, text := range map[string]string{
		"ours":   line(t, trial),
		"blanks": strings.Replace(line(t, trial), `,"judging":"00ff"}`, ` , "judging" : "00ff" }  `, 1),
	} {
		ledger, err := ReadJournal(written(t, head+text))
		if err != nil || len(ledger.Damaged) > 0 || ledger.Entries[0].Fingerprint != "00ff" {
			t.Fatalf("%s: %+v, %v", name, ledger, err)
		}
		raw, err := ledger.Run.Trials.(*Journal).Raw(0)
		if again, _ := DecodeTrial(raw, 0); err != nil || again == nil || again.Turns[0].Assistant != trial.Turns[0].Assistant ||
			strings.Contains(string(raw), "00ff") {
			t.Errorf("%s: %s, %v", name, raw, err)
		}
	}
	if again, err := DecodeLine([]byte(line(t, trial))); err != nil || again.Judging != "00ff" {
		t.Errorf("got %+v, %v", again, err)
	}
}

// TestJournalOfOtherWriters: what other programs make of the lines, with blanks and other ends of lines, is the same.
func TestJournalOfOtherWriters(t *testing.T) {
	t.Parallel()
	lines := line(t, hostile(0, "a, b: c")) + line(t, hostile(1, `,"trial":{"x":1}`))
	for name, write := range map[string]func(string) string{
		"blanks": func(text string) string {
			return strings.NewReplacer(`{"index":`, `{"index": `, `,"trial":{"id"`, `, "trial": {"id"`).Replace(text)
		},
		"blanks in front": func(text string) string { return strings.ReplaceAll(text, `{"index":`, `  { "index" : `) },
		"blanks behind":   func(text string) string { return strings.ReplaceAll(text, "}}\n", "} }  \t\n") },
		"CR":              func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") },
		"blanks and CR":   func(text string) string { return strings.ReplaceAll(text, "}}\n", "}}  \r\n") },
	} {
		text := write(lines)
		if text == lines {
			t.Fatalf("%s: nothing is changed", name)
		}
		ledger, err := ReadJournal(written(t, head+text))
		if err != nil || len(ledger.Damaged) > 0 || len(ledger.Entries) != 2 {
			t.Errorf("%s: %+v, %v", name, ledger, err)
			continue
		}
		for i, want := range []string{"a, b: c", `,"trial":{"x":1}`} {
			trial, err := ledger.Run.Trials.Trial(i)
			if err != nil || trial.Turns[0].Assistant != want {
				t.Errorf("%s: trial %d: %+v, %v", name, i, trial, err)
			}
			raw, err := ledger.Run.Trials.(*Journal).Raw(i)
			if err != nil || !json.Valid(raw) {
				t.Errorf("%s: trial %d: %s, %v", name, i, raw, err)
			}
		}
	}
	if ledger, err := ReadJournal(written(t, head+`{"trial": {"id": "x", "trial": 1}, "index": 0}`+"\n")); err != nil ||
		len(ledger.Damaged) != 1 {
		t.Errorf("a trial before its index: %+v, %v", ledger, err)
	}
}

func written(t *testing.T, text string) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "j"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() }) // nothing is written behind the test
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	return f
}

const head = `{"journal":1,"arena":"x","started":"2026-01-01T00:00:00Z","planned":2,"fail_on":null}` + "\n"

func TestJournalRefusesWhatIsNotOne(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"empty":         {"", ErrNotJournal.Error()},
		"results":       {"{\n \"schema_version\": 1}", ErrNotJournal.Error()},
		"other lines":   {strings.Repeat("{\"a\":1}\n", 100), ErrNotJournal.Error()},
		"newer version": {`{"journal":99}` + "\n", "version 99"},
	} {
		if _, err := ReadJournal(written(t, c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// onward is the header of a run that goes on with the one of the lines before.
var onward = strings.TrimSuffix(head, "}\n") + `,"continues":true}` + "\n"

// TestJournalSpeaksNoGo puts values of every other type into every place of every kind of line: what is told of them
// are words of JSON.
func TestJournalSpeaksNoGo(t *testing.T) {
	t.Parallel()
	told := 0
	for _, text := range []string{onward, line(t, hostile(0, "a")), `{"end":{"duration_ms":1,"warnings":["w"]}}` + "\n"} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		for _, wrong := range []any{7.5, "x", true, []any{1.5}, map[string]any{"a": 1.5}} {
			retyped(v, wrong, func(place any) {
				b, err := json.Marshal(place)
				if err != nil {
					t.Fatal(err)
				}
				ledger, err := ReadJournal(written(t, head+string(b)+"\n"+line(t, hostile(1, "b"))))
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range ledger.Damaged {
					told++
					if said := d.Why.Error(); strings.Contains(said, "Go ") || strings.Contains(said, "json:") {
						t.Errorf("%s", said)
					}
				}
			})
		}
	}
	if told < 100 {
		t.Errorf("only %d values were refused", told)
	}
}

// retyped calls use with the document once for each place in it, while the value there is another one.
func retyped(v, wrong any, use func(any)) {
	var walk func(inner any, set func(any))
	walk = func(inner any, set func(any)) {
		set(wrong)
		use(v)
		set(inner)
		switch inner := inner.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(inner)) {
				walk(inner[key], func(to any) { inner[key] = to })
			}
		case []any:
			for i := range inner {
				walk(inner[i], func(to any) { inner[i] = to })
			}
		}
	}
	walk(v, func(to any) { v = to })
}

func line(t *testing.T, trial *Trial) string {
	t.Helper()
	b, err := EncodeLine(trial)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
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

// unsynced is a file whose sync fails: what was written may not be on the disk.
type unsynced struct{ *os.File }

func (unsynced) Sync() error { return errFull }

// TestJournalGoesOn: a journal whose file cannot be written or synced goes on elsewhere, with all that was written.
func TestJournalGoesOn(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]func(*os.File) Syncer{
		"write": func(f *os.File) Syncer { return fullDisk{f} },
		"sync":  func(f *os.File) Syncer { return unsynced{f} },
	} {
		f := written(t, head)
		j := &Journal{file: broken(f), size: int64(len(head))}
		one := hostile(0, "a")
		done := []TrialDone{{Trial: one, Line: []byte(line(t, one))}}
		before := j.size
		if name == "sync" {
			before += int64(len(done[0].Line))
		}
		var elsewhere *os.File
		j.SetFallback(func(from io.ReaderAt, size int64, why error) (Syncer, error) {
			if size != before || !errors.Is(why, errFull) {
				t.Errorf("%s: moves %d bytes, want %d, for %v", name, size, before, why)
			}
			text := make([]byte, size)
			if _, err := from.ReadAt(text, 0); err != nil {
				t.Error(err)
			}
			elsewhere = written(t, string(text))
			return elsewhere, nil
		})
		if err := j.Append(done); err != nil || !errors.Is(j.Moved(), errFull) {
			t.Errorf("%s: %v, moved for %v", name, err, j.Moved())
		}
		if got, err := j.Trial(0); err != nil || got.ID != one.ID {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if text, err := os.ReadFile(elsewhere.Name()); err != nil || string(text) != head+string(done[0].Line) {
			t.Errorf("%s: %v, %s", name, err, text)
		}
	}
}

func TestUnsetIsNeverWritten(t *testing.T) {
	t.Parallel()
	if _, err := EncodeLine(&Trial{ID: "x"}); err == nil {
		t.Error("a trial without status was written")
	}
}

// TestJournalWithALongLine: a line that is longer than any is passed over and told, and the others are read.
func TestJournalWithALongLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\x00", 1<<20)
	one := line(t, hostile(0, "a"))
	for _, text := range []string{head + one + long + "\n", head + long + "\n" + one, head + one + long} {
		ledger, err := readJournal(written(t, text), 1<<19, true)
		if err != nil || len(ledger.Entries) != 1 || len(ledger.Damaged) != 1 || !errors.Is(ledger.Damaged[0].Why, errLongLine) {
			t.Errorf("%v, %+v", err, ledger)
		}
	}
	for _, text := range []string{long, long + "\n"} {
		if _, err := readJournal(written(t, text), 1<<19, true); !errors.Is(err, ErrNotJournal) {
			t.Errorf("%v, want that it is no journal", err)
		}
	}
}
