package harness

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestBringHome: a journal is completed by what is surely its own copy, and by nothing else.
func TestBringHome(t *testing.T) {
	const whole = "one\ntwo\nthree\n"
	long := strings.Repeat("x", 1<<17)
	for name, tc := range map[string]struct {
		home, copied, where string
		mode                fs.FileMode
		taken               bool
	}{
		"in the working directory":       {home: "one\n", copied: whole, where: ".", mode: 0o600, taken: true},
		"in the temporary folder":        {home: "one\n", copied: whole, where: "tmp", mode: 0o600, taken: true},
		"long":                           {home: long, copied: long + "y", where: ".", mode: 0o600, taken: true},
		"long, with another end":         {home: long + "z", copied: long + "yy", where: ".", mode: 0o600},
		"of another run":                 {home: "one\n", copied: "two\nthree\n", where: ".", mode: 0o600},
		"with nothing more":              {home: whole, copied: whole, where: ".", mode: 0o600},
		"with less":                      {home: whole, copied: "one\n", where: ".", mode: 0o600},
		"of nothing":                     {home: "", copied: whole, where: ".", mode: 0o600},
		"that everybody may have edited": {home: "one\n", copied: whole, where: "tmp", mode: 0o644},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.mode != 0o600 && runtime.GOOS == "windows" {
				t.Skip("no such rights")
			}
			t.Chdir(t.TempDir())
			for _, dir := range []string{"tmp", "out"} {
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			tmp, err := filepath.Abs("tmp")
			if err != nil {
				t.Fatal(err)
			}
			t.Setenv("TMPDIR", tmp)
			t.Setenv("TMP", tmp)
			home := filepath.Join("out", JournalName)
			path := filepath.Join(tc.where, "journal.rescued-123.jsonl")
			for file, text := range map[string]string{home: tc.home, path: tc.copied} {
				if err := os.WriteFile(file, []byte(text), tc.mode); err != nil {
					t.Fatal(err)
				}
			}
			from, err := NewOutputs(Choice{Dir: "out"}).RestoreJournal()
			if err != nil || (from != "") != tc.taken {
				t.Fatalf("%q, %v; want it taken: %v", from, err, tc.taken)
			}
			want := tc.home
			if tc.taken {
				want = tc.copied
			}
			if got := string(readAll(t, home)); got != want {
				t.Errorf("the journal has %d bytes, want %d", len(got), len(want))
			}
			if tc.taken == exists(path) {
				t.Errorf("the copy is there: %v", exists(path))
			}
		})
	}
}

func TestBringHomeWithoutJournal(t *testing.T) {
	t.Parallel()
	if from, err := NewOutputs(Choice{Dir: t.TempDir()}).RestoreJournal(); from != "" || err != nil {
		t.Errorf("%q, %v", from, err)
	}
}
