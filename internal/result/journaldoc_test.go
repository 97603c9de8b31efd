package result

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestJournalIsDocumented holds the document of the journal against what is written: every field stands in the table of
// its line, and nothing else does.
func TestJournalIsDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "journal.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n## ")
	sections := strings.Split(rest, "\n## ")
	lines := []any{JournalHeader{}, Spec{}, trialLine{}, JournalFooter{}}
	if len(sections) != len(lines) {
		t.Fatalf("%d sections, want %d", len(sections), len(lines))
	}
	row, field := regexp.MustCompile("(?m)^\\| (`.*?) \\|"), regexp.MustCompile("`([a-z_]+)`")
	for i, line := range lines {
		var want, got []string
		typ := reflect.TypeOf(line)
		for field := range typ.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			want = append(want, name)
		}
		for _, r := range row.FindAllStringSubmatch(sections[i], -1) {
			for _, f := range field.FindAllStringSubmatch(r[1], -1) {
				got = append(got, f[1])
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-fields +document):\n%s", typ.Name(), diff)
		}
	}
}
