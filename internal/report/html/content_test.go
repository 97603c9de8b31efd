package html_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	markup "golang.org/x/net/html"

	"github.com/arena-evals/arena/internal/report/golden"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

var hashed = regexp.MustCompile(`sha256-.*?=&#39;`)

// TestPage shows one whole page as it is written, without the data blocks, the script and the style.
func TestPage(t *testing.T) {
	t.Parallel()
	page := block.ReplaceAllLiteralString(string(write(t, resulttest.Hostile())), "")
	page = style.ReplaceAllLiteralString(script.ReplaceAllLiteralString(page, "<script>…</script>"), "<style>…</style>")
	golden.Check(t, "page.html", []byte(hashed.ReplaceAllLiteralString(page, "sha256-…&#39;")))
}

// TestPageOfEachRun shows, for every fixture, the elements of the page that differ from run to run.
func TestPageOfEachRun(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, f := range golden.Fixtures() {
		fmt.Fprintf(&b, "# %s\n", f.Name)
		root, err := markup.Parse(bytes.NewReader(write(t, f.Build())))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range varying(t, root) {
			b.WriteString(line + "\n")
		}
	}
	golden.Check(t, "pages.txt", []byte(b.String()))
}

// varying renders the elements that depend on the run, a line each.
func varying(t *testing.T, n *markup.Node) (lines []string) {
	t.Helper()
	if n.Type == markup.ElementNode {
		switch n.Data {
		case "dialog", "script", "style", "thead": // the same in every page
			return nil
		case "title", "link", "h1", "p", "svg", "li", "summary", "dt", "dd", "tr", "caption", "nav":
			return []string{rendered(t, n)}
		case "meta":
			if attribute(n, "name") == "generator" {
				return []string{rendered(t, n)}
			}
		case "a":
			if attribute(n, "class") == "brand" {
				return []string{rendered(t, n)}
			}
		case "details":
			lines = append(lines, fmt.Sprintf("<details class=%q>", attribute(n, "class")))
		}
	}
	for c := range n.ChildNodes() {
		lines = append(lines, varying(t, c)...)
	}
	return lines
}

func attribute(n *markup.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// rendered is an element on one line.
func rendered(t *testing.T, n *markup.Node) string {
	t.Helper()
	var b strings.Builder
	if err := markup.Render(&b, n); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// TestTrialsAreWhole compares the trials in the page with those of the run, and with the commands that repeat them.
func TestTrialsAreWhole(t *testing.T) {
	t.Parallel()
	for _, f := range append(golden.Fixtures(), golden.Fixture{Name: "big", Build: bigRun}) {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			run := f.Build()
			page := write(t, run)
			var index struct{ Blocks []int }
			if err := json.Unmarshal(unpack(t, page, "index"), &index); err != nil {
				t.Fatal(err)
			}
			var got, want []string
			for k, first := range index.Blocks {
				if first != len(got) {
					t.Errorf("block %d begins with trial %d; the index says %d", k, len(got), first)
				}
				got = append(got, lines(t, page, fmt.Sprintf("trials-%d", k))...)
			}
			if blocks := len(block.FindAllIndex(page, -1)); blocks != len(index.Blocks)+1 {
				t.Errorf("the page has %d blocks; want the index and %d blocks of trials", blocks, len(index.Blocks))
			}
			for i := range run.Briefs.Len() {
				command := rerun(run.Briefs.At(i))
				if f.Name == "hostile" && i == 0 || f.Name == "stopped" && i < 4 {
					command = "" // names hold control characters: the command is not offered
				}
				want = append(want, line(t, run, i, command))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("trials (-of the run +of the page):\n%s", diff)
			}
		})
	}
}

func bigRun() *result.Run { return resulttest.Big(2000) }

// line is the line of a trial in a block: its command, a tab, and the trial.
func line(t *testing.T, run *result.Run, i int, rerun string) string {
	t.Helper()
	command, err := json.Marshal(rerun)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := run.Trials.Raw(i)
	if err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		t.Fatal(err)
	}
	return string(command) + "\t" + compact.String()
}

// TestIndex compares the run in the index with the run, and shows the rest of the index of every fixture.
func TestIndex(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, f := range golden.Fixtures() {
		run := f.Build()
		var index map[string]json.RawMessage
		if err := json.Unmarshal(unpack(t, write(t, run), "index"), &index); err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(run)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(index["run"])); diff != "" {
			t.Errorf("%s: run (-want +got):\n%s", f.Name, diff)
		}
		fmt.Fprintf(&b, "# %s\n", f.Name)
		for _, name := range []string{"blocks", "scenarios", "providers", "regions", "tags", "checks", "rates", "trials"} {
			var list []json.RawMessage
			if err := json.Unmarshal(index[name], &list); err != nil || list == nil {
				t.Errorf("%s: %s is no list: %s", f.Name, name, index[name])
			}
			fmt.Fprintf(&b, "%s\n", name)
			for i, item := range list {
				fmt.Fprintf(&b, "  %d %s\n", i, item)
			}
			delete(index, name)
		}
		delete(index, "run")
		if len(index) > 0 {
			t.Errorf("%s: unknown members of the index: %v", f.Name, index)
		}
	}
	golden.Check(t, "index.txt", []byte(b.String()))
}
