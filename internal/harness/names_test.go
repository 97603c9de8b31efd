package harness

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
	"github.com/arena-evals/arena/internal/secret"
)

// TestSecretsThatEqualNames learns every name that a report has for its own fields, tags and attributes, and every
// word of a status. The report keeps its structure, and is read as before.
func TestSecretsThatEqualNames(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func() *result.Run{
		"hostile": resulttest.Hostile, "judged": resulttest.Judged, "measured": resulttest.Measured, "flaky": resulttest.Flaky,
		"errored": resulttest.Errored, "cancelled": resulttest.Cancelled, "rows": resulttest.Rows,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for format, names := range map[string]func(*testing.T, []byte) []string{
				"json": jsonNames, "junit": xmlNames, "html": htmlNames,
			} {
				plain := NewOutputs(Choice{Dir: filepath.Join(dir, format), Formats: []string{format}})
				want := names(t, written(t, plain, format, run()))
				guard := &secret.Guard{}
				guard.Learn("passed", "failed", "error", "skipped", "cancelled", "assistant")
				for _, name := range want {
					if len(name) < 40 { // no script
						guard.Learn(name)
					}
				}
				if len(guard.Known()) < 10 {
					t.Fatalf("%s: only %q are names", format, guard.Known())
				}
				guarded := NewOutputs(Choice{Dir: filepath.Join(dir, format+"-guarded"), Formats: []string{format}})
				guarded.Secrets = guard
				got := written(t, guarded, format, run())
				if now := names(t, got); !slices.Equal(now, want) {
					t.Errorf("%s has other names: %.500q", format, slices.DeleteFunc(now, func(n string) bool { return slices.Contains(want, n) }))
				}
			}
		})
	}
}

func written(t *testing.T, o *Outputs, format string, run *result.Run) []byte {
	t.Helper()
	if err := o.Prepare(); err != nil {
		t.Fatal(err)
	}
	if err := o.WriteAll(run); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(o.reports, func(r Report) bool { return r.Format == format })
	data, err := os.ReadFile(o.reports[i].Path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// jsonNames are the keys outside of what agents and tools wrote, and what has the type of a status.
func jsonNames(t *testing.T, data []byte) []string {
	t.Helper()
	var run result.Run
	if err := json.Unmarshal(data, &run); err != nil {
		t.Fatalf("results.json is no run any more: %v", err)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	var all []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, value := range v {
				all = append(all, key)
				switch key {
				case "args", "details", "metadata", "labels", "variant":
				default:
					walk(value)
				}
			}
		case []any:
			for _, value := range v {
				walk(value)
			}
		}
	}
	walk(v)
	slices.Sort(all)
	return slices.Compact(all)
}

func xmlNames(t *testing.T, data []byte) []string {
	t.Helper()
	var all []string
	dec := xml.NewDecoder(bytes.NewReader(data))
	for {
		token, err := dec.Token()
		if token == nil {
			if err.Error() != "EOF" {
				t.Fatalf("the XML is none any more: %v", err)
			}
			slices.Sort(all)
			return slices.Compact(all)
		}
		if start, ok := token.(xml.StartElement); ok {
			all = append(all, start.Name.Local)
			for _, a := range start.Attr {
				all = append(all, a.Name.Local)
			}
		}
	}
}

// rawElement is what holds the style, the script and the packed trials.
var rawElement = regexp.MustCompile(`(?s)<(?:script|style)[^>]*>.*?</(?:script|style)>`)

// htmlNames are the styles and the scripts, their words, and the names of the tags.
func htmlNames(_ *testing.T, data []byte) []string {
	all := rawElement.FindAllString(string(data), -1)
	for _, text := range all {
		if strings.HasPrefix(text, "<script>") || strings.HasPrefix(text, "<style>") {
			all = append(all, regexp.MustCompile(`\b[A-Za-z]{4,}\b`).FindAllString(text, -1)...)
		}
	}
	all = append(all, regexp.MustCompile(`<[a-z]+`).FindAllString(rawElement.ReplaceAllString(string(data), ""), -1)...)
	slices.Sort(all)
	return slices.Compact(all)
}
