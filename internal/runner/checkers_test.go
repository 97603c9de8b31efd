package runner

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestOwnFilesOfPrograms: what belongs to the project counts, what the machine has does not.
func TestOwnFilesOfPrograms(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), t.TempDir()
	write := func(dir, name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(dir, "check.py", "1")
	write(dir, "words.txt", "1")
	write(elsewhere, "python", "1")
	sum := func() any {
		h := &scenario.Handler{
			Dir: dir, Command: filepath.Join(elsewhere, "python"), Args: []string{"check.py", "--words=words.txt", "-v"},
		}
		sum, own := NewFingerprints(&Options{}).ownFiles(h, h.Dir, h.Command, h.Args)
		if !own {
			t.Error("no file was found")
		}
		return sum
	}
	was := sum()
	write(elsewhere, "python", "2")
	if sum() != was {
		t.Error("the program of the machine counts")
	}
	write(dir, "words.txt", "2")
	changed := sum()
	if changed == was {
		t.Error("a file that an argument sets does not count")
	}
	write(dir, "check.py", "2")
	if sum() == changed {
		t.Error("the program of the project does not count")
	}
	if _, own := NewFingerprints(&Options{}).ownFiles(dir, dir, "sh", []string{"-c", "exit 0"}); own {
		t.Error("a program without files has some")
	}
}

// TestAskedNamesCheckers: what is asked of programs is apart from the rest, so that it can be told.
func TestAskedNamesCheckers(t *testing.T) {
	t.Parallel()
	trial, _ := filledTrial()
	asked := result.ParseAsked(NewFingerprints(&Options{}).Asked(trial))
	if len(asked.Sum) != 16 {
		t.Errorf("the sum is %q", asked.Sum)
	}
	for _, c := range asked.By {
		if c.Kind == result.AnsweringModel || len(c.Sum) != 8 {
			t.Errorf("%+v", c)
		}
	}
}
