package recording

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/report/golden"
)

const docPage = "../../docs/recordings.md"

// TestDocTable compares the tables of docs/recordings.md with the formats and with the recordings in testdata/good,
// which show what each format records. go test -update writes the tables.
func TestDocTable(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(docPage)
	if err != nil {
		t.Fatal(err)
	}
	text := between(t, string(page), "formats", formatTable(t))
	text = between(t, text, "others", conventionList())
	golden.Check(t, "../"+docPage, []byte(text))
}

// between replaces the text between the marks of a name.
func between(t *testing.T, page, name, text string) string {
	t.Helper()
	start, end := "<!-- "+name+": written by `make golden` -->\n", "<!-- end of "+name+" -->"
	before, rest, found := strings.Cut(page, start)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("the page has no marks for %s", name)
	}
	return before + start + text + end + after
}

// recorded is what the recordings of a format contain.
type recorded struct{ calls, results, tokens, cost, latency, finish, verdicts bool }

func (w *recorded) add(s *Session) {
	w.verdicts = w.verdicts || len(s.Verdicts)+len(s.Evals) > 0
	for i := range s.Messages {
		m := &s.Messages[i]
		w.calls = w.calls || len(m.ToolCalls) > 0
		w.results = w.results || m.ToolResult != nil
		w.verdicts = w.verdicts || len(m.Verdicts) > 0
		if m.Role == chat.Assistant {
			w.tokens, w.cost = w.tokens || m.Usage != nil, w.cost || m.CostUSD != nil
			w.latency, w.finish = w.latency || m.LatencyMS > 0, w.finish || m.FinishReason != ""
		}
	}
}

func formatTable(t *testing.T) string {
	t.Helper()
	found := map[Format]*recorded{
		FormatResults: {true, true, true, true, true, true, true}, FormatJournal: {true, true, true, true, true, true, true},
	}
	for _, path := range fixtures(t, "good") {
		f, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Sessions() {
			s, err := f.Load(i)
			if err != nil {
				t.Fatal(err)
			}
			if found[f.Format()] == nil {
				found[f.Format()] = &recorded{}
			}
			found[f.Format()].add(s)
		}
	}
	var out strings.Builder
	out.WriteString("| Format | What it is | Tool calls | Their results | Tokens | Cost | Latency | Finish reason | Verdicts |\n")
	out.WriteString("|---|---|---|---|---|---|---|---|---|\n")
	seen := map[Format]bool{}
	for _, f := range formats() {
		if seen[f.name] {
			continue
		}
		seen[f.name] = true
		w := found[f.name]
		if w == nil {
			t.Errorf("no recording in testdata/good is of the format %s", f.name)
			continue
		}
		fmt.Fprintf(&out, "| %s | %s |", f.name, f.about)
		for _, there := range []bool{w.calls, w.results, w.tokens, w.cost, w.latency, w.finish, w.verdicts} {
			out.WriteString(map[bool]string{true: " yes |", false: " – |"}[there])
		}
		out.WriteString("\n")
	}
	return out.String()
}

func conventionList() string {
	var out strings.Builder
	for _, c := range conventions() {
		fmt.Fprintf(&out, "- %s: %s\n", c.name, c.advice)
	}
	out.WriteString("- spans whose messages stand in attributes of ")
	var names []string
	for _, c := range spanConventions {
		if n := len(names); n == 0 || names[n-1] != c.name {
			names = append(names, c.name)
		}
	}
	return out.String() + strings.Join(names, ", ") + "\n"
}
