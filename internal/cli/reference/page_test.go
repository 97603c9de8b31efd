package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/checks"
)

var update = flag.Bool("update", false, "write the documents; read the diff")

// TestPagesAreFresh fails when a check or a metric changed and its documentation did not.
func TestPagesAreFresh(t *testing.T) {
	t.Parallel()
	for name, page := range pages {
		folder := filepath.Join("..", "..", "..", "docs")
		file := filepath.Join(folder, filepath.FromSlash(name))
		if *update {
			if err := write(folder, name); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := page()
		if err != nil {
			t.Fatal(err)
		}
		// A checkout may have turned the ends of the lines.
		if diff := cmp.Diff(want, strings.ReplaceAll(string(got), "\r\n", "\n")); diff != "" {
			t.Errorf("docs/%s is stale; `make generate` writes it (-want +got):\n%s", name, diff)
		}
	}
}

func TestPageHasEverything(t *testing.T) {
	t.Parallel()
	text, err := page()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range checks.Builtin() {
		for _, want := range []string{"\n### " + d.Name + "\n", "[" + d.Name + "](#" + d.Name + ")"} {
			if strings.Count(text, want) != 1 {
				t.Errorf("%q is there %d times", want, strings.Count(text, want))
			}
		}
		if d.Prompt.System != "" && !strings.Contains(text, "\n"+d.Prompt.System+"\n") {
			t.Errorf("%s: what the judge is told is missing", d.Name)
		}
		for _, p := range d.Params() {
			if !strings.Contains(text, "| `"+p.Name+"` |") {
				t.Errorf("%s: %s is missing", d.Name, p.Name)
			}
		}
	}
	opened := strings.Count(text, "````yaml\n") + strings.Count(text, "````text\n")
	if opened*2 != strings.Count(text, "````") {
		t.Error("a fence is not closed")
	}
}
