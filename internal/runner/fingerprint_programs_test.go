package runner

import (
	"os"
	"path/filepath"
	"testing"
)

// TestProgramSums: what a program runs by decides, wherever it is found, and under whichever word it is named.
func TestProgramSums(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	sums := func() programSums {
		p := programSums{}
		p.add(filepath.Join(root, "a"), "./tool.sh", []string{"--data=prices.csv", "rules.md", "x"})
		p.add(filepath.Join(root, "b"), "./tool.sh", nil)
		return p
	}
	all := []string{"a/tool.sh", "b/tool.sh", "a/prices.csv", "a/rules.md"}
	for _, name := range all {
		write(name, "#!/bin/sh\n# "+name)
	}
	was := sums()
	if again := sums(); len(was) != 3 || len(again) != 3 || was["./tool.sh"] != again["./tool.sh"] {
		t.Errorf("%d words, and %d", len(was), len(again))
	}
	for _, name := range all {
		write(name, "another")
		now := sums()
		same := true
		for word, sum := range was {
			same = same && now[word] == sum
		}
		if same {
			t.Errorf("%s has changed, and nothing tells", name)
		}
		was = now
	}
	p := programSums{}
	if p.add(root, "sh", nil); p["sh"] == "" {
		t.Error("a program that PATH leads to has no sum")
	}
}
