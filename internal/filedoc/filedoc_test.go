package filedoc

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/scenario"
)

// TestPages: every kind of file has a page, every introduction belongs to one, and every link within the pages leads to
// a heading.
func TestPages(t *testing.T) {
	t.Parallel()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range scenario.FileKinds() {
		if all[k.Name] == "" {
			t.Errorf("files of kind %s have no page: add it to Pages", k.Name)
		}
	}
	files, err := intros.ReadDir("intro")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name := strings.TrimSuffix(f.Name(), ".md"); all[name] == "" {
			t.Errorf("intro/%s belongs to no page", f.Name())
		}
	}
	link := regexp.MustCompile(`\]\((?:([a-z0-9-]+)\.md)?#([^)]+)\)`)
	heading := regexp.MustCompile(`(?m)^#+ (.*)$`)
	links := 0
	for name, text := range all {
		for _, l := range link.FindAllStringSubmatch(text, -1) {
			links++
			to := all[l[1]]
			if l[1] == "" {
				to = text
			}
			there := slices.ContainsFunc(heading.FindAllStringSubmatch(to, -1), func(h []string) bool {
				return anchor(h[1]) == l[2]
			})
			if !there {
				t.Errorf("%s links to %s, and there is no such heading", name, l[0])
			}
		}
	}
	if links < 100 {
		t.Errorf("the pages have %d links", links)
	}
}

// TestEveryKeyIsOnItsPage: a table of keys that no page shows would be known to the loader alone.
func TestEveryKeyIsOnItsPage(t *testing.T) {
	t.Parallel()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	b := newBook()
	for table, s := range b.sections {
		text := all[s.page]
		at := strings.Index(text, "\n## "+s.heading+"\n")
		if at < 0 {
			t.Errorf("%s does not show %s", s.page, s.heading)
			continue
		}
		for _, k := range table.Keys() {
			if !strings.Contains(text[at:], "\n| `"+k.Name+"` |") {
				t.Errorf("%s of %s does not show %s", s.heading, s.page, k.Name)
			}
		}
	}
}
