package harness

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRecallLosesNothing: the journal of an earlier run becomes that of the last one, and every other one stays.
// Whatever is left by a swap that was ended half way, the same command does it.
func TestRecallLosesNothing(t *testing.T) {
	t.Parallel()
	const head = `{"journal":1,"command":["arena","run"]}` + "\n" + `{"index":0,"trial":{"id":"`
	journal, previous, second := JournalName, previousName(1), previousName(2)
	for name, there := range map[string][]string{
		"the one before":         {journal, previous},
		"with more before":       {journal, previous, second},
		"further back":           {journal, second, previous},
		"full":                   {journal, previousName(10), previous, second, previousName(3)},
		"ended before the first": {previous},
		"ended before the last":  {journal, previousName(7), second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			wanted := there[min(1, len(there)-1)]
			for _, file := range there {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(head+file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			out := NewOutputs(Choice{Dir: dir})
			out.Resumes = wanted
			file, err := out.LastJournal()
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			if err := out.Resume(file); err != nil {
				t.Fatal(err)
			}
			now, err := os.ReadFile(filepath.Join(dir, JournalName))
			if err != nil || string(now) != head+wanted {
				t.Errorf("the last journal holds %q, %v; want that of %s", now, err, wanted)
			}
			var held []string
			files, err := filepath.Glob(filepath.Join(dir, "journal*"))
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				held = append(held, strings.TrimPrefix(string(text), head))
			}
			slices.Sort(held)
			slices.Sort(there)
			if !slices.Equal(held, there) {
				t.Errorf("the folder holds %v, want %v", held, there)
			}
		})
	}
}
