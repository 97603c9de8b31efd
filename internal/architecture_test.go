package internal

import (
	"flag"
	"fmt"
	"go/build"
	"go/doc"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the map of the packages into docs/architecture.md")

// The map stands between these lines of the page.
const (
	mapBegins = "<!-- The map is written by `make golden` from the layering test and the comments of the packages. -->\n"
	mapEnds   = "<!-- End of the map. -->\n"
)

// TestArchitecturePage holds that the page shows the map that the layering test proves.
func TestArchitecturePage(t *testing.T) {
	t.Parallel()
	page := filepath.Join("..", "docs", "architecture.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), mapBegins)
	shown, after, ends := strings.Cut(rest, mapEnds)
	if !begins || !ends {
		t.Fatalf("the page has no map between %q and %q", mapBegins, mapEnds)
	}
	want := drawn(t)
	if *update {
		if err := os.WriteFile(page, []byte(before+mapBegins+want+mapEnds+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("run `make golden` (-want +got):\n%s", diff)
	}
}

// drawn is the map as Markdown, from the top to the bottom, without what only tests use.
func drawn(t *testing.T) string {
	t.Helper()
	storeys := make([][]string, len(rows))
	for _, p := range list(t) {
		_, row := place(p.name)
		if row < 0 || strings.HasSuffix(p.name, "test") || strings.HasPrefix(p.name, "internal/report/golden") {
			continue
		}
		storeys[row] = append(storeys[row], fmt.Sprintf("- `%s` %s\n", p.name, synopsis(t, p.name)))
	}
	var b strings.Builder
	for _, packages := range slices.Backward(storeys) {
		if len(packages) == 0 {
			continue
		}
		slices.Sort(packages)
		b.WriteString("\n" + strings.Join(packages, ""))
	}
	return b.String() + "\n"
}

// synopsis is the first sentence of a package's comment, without its beginning.
func synopsis(t *testing.T, name string) string {
	t.Helper()
	found, err := build.ImportDir(filepath.Join("..", name), 0)
	if err != nil {
		t.Fatal(err)
	}
	text := new(doc.Package).Synopsis(found.Doc)
	if text == "" {
		t.Errorf("%s has no comment that says what it is", name)
	}
	return strings.TrimPrefix(text, "Package "+found.Name+" ")
}
