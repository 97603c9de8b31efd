package harness

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/result"
)

var errFull = errors.New("no space left on device")

// filling is a file on a disk that becomes full.
type filling struct {
	*os.File

	room int // bytes
}

func (f *filling) Write(b []byte) (int, error) {
	if len(b) > f.room {
		n, _ := f.File.Write(b[:f.room]) // half a line, as disks do
		f.room = 0
		return n, errFull
	}
	f.room -= len(b)
	return f.File.Write(b)
}

// TestRefuge fills the disk of a journal: every trial is in a file if there is room anywhere, and can be read in any
// case.
func TestRefuge(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		places       []string // below the folder of the test
		later        string   // becomes a place before the end
		full, copied bool     // at the end: the disk of the journal is still full, the journal is a file elsewhere
		told         string
	}{
		"room elsewhere":         {places: []string{"none", "here"}, full: true, copied: true, told: "here/journal.rescued-"},
		"room nowhere":           {places: []string{"none", "nothing"}, full: true, told: "no room in "},
		"room elsewhere later":   {places: []string{"later"}, later: "later", full: true, copied: true, told: "later/journal.rescued-"},
		"room at home again":     {places: []string{"here"}},
		"room at home only then": {places: []string{"none"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "here"), 0o755); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, JournalName)
			home, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			defer home.Close()
			r := newJournalFallback(path, home)
			r.places = nil
			for _, p := range tc.places {
				r.places = append(r.places, filepath.Join(dir, p))
			}
			lines := journalLines(t, 6)
			j, err := result.NewJournal(&filling{home, 300 + 5*len(lines[0].Line)/2}, result.JournalHeader{Command: []string{strings.Repeat("x", 100)}})
			if err != nil {
				t.Fatal(err)
			}
			j.SetFallback(r.open)
			if err := j.Append(lines); err != nil || !errors.Is(j.Moved(), errFull) {
				t.Fatalf("%v, moved %v", err, j.Moved())
			}
			if text := readAll(t, path); !bytes.HasSuffix(text, []byte("}\n")) || bytes.Equal(text, readJournal(t, r, j.Size())) {
				t.Errorf("the journal ends with half a line, or is not on a full disk: %s", text)
			}
			if err := j.Close(result.JournalFooter{}); err != nil {
				t.Error(err)
			}
			want := readJournal(t, r, j.Size())
			if tc.later != "" {
				if err := os.Mkdir(filepath.Join(dir, tc.later), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if tc.full {
				if r.home, err = os.Open(path); err != nil { // which cannot be written
					t.Fatal(err)
				}
				defer r.home.Close()
			}
			err = r.finish(j.Size())
			if told := err != nil; told != tc.full || told && !strings.Contains(filepath.ToSlash(err.Error()), tc.told) {
				t.Errorf("told %v, want %q", err, tc.told)
			}
			for i := range lines {
				if got, err := j.Trial(i); err != nil || got.ID != lines[i].Trial.ID {
					t.Errorf("trial %d: %v, %v", i, got, err)
				}
			}
			if err := r.close(); err != nil {
				t.Error(err)
			}
			copies, _ := filepath.Glob(filepath.Join(dir, "*", fallbackPattern))
			switch {
			case !tc.full && (len(copies) > 0 || !bytes.Equal(readAll(t, path), want)):
				t.Errorf("copies %v, and the journal is\n%s\nwant\n%s", copies, readAll(t, path), want)
			case tc.copied && (len(copies) != 1 || !bytes.Equal(readAll(t, copies[0]), want)):
				t.Errorf("copies %v, want one with\n%s", copies, want)
			case tc.full && !tc.copied && len(copies) > 0:
				t.Errorf("copies %v, want none", copies)
			}
		})
	}
}

// journalLines are trials that ended.
func journalLines(t *testing.T, n int) (all []result.TrialDone) {
	t.Helper()
	for i := range n {
		trial := &result.Trial{Index: i, ID: string(rune('a' + i)), Trial: 1, Trials: 1}
		trial.Settle()
		line, err := result.EncodeLine(trial)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, result.TrialDone{Trial: trial, Line: line})
	}
	return all
}

// readJournal is all that was written of a journal, which a reader of journals takes.
func readJournal(t *testing.T, r *journalFallback, size int64) []byte {
	t.Helper()
	text := make([]byte, size)
	if _, err := r.current.ReadAt(text, 0); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	content, err := result.ReadJournal(r.current)
	if err != nil || len(content.Entries) != 6 || len(content.Damaged) > 0 {
		t.Fatalf("%v, %d trials, damaged %v", err, len(content.Entries), content.Damaged)
	}
	return text
}

func readAll(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
