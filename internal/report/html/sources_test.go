package html_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/report/html"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

var shownLines = regexp.MustCompile(`<script type="application/json" id="sources">(.*)</script>`)

// TestSources: the lines of checks that did not hold stand in the page, unless the file says something else by now.
func TestSources(t *testing.T) {
	t.Parallel()
	file := bytes.Repeat([]byte("#\n"), 37)
	file = append(file, "      - type: tools_not_called\n        params: {tools: [\"</script>\"]}\n\n"+
		"      - type: max_length\n        params: {max: 4}\n"...)
	read := func(name string) ([]byte, error) {
		if name != "scenarios/refund.yaml" {
			return nil, fmt.Errorf("%s: %w", name, os.ErrNotExist)
		}
		return file, nil
	}
	run := resulttest.OneFailed()
	lines := func(read func(string) ([]byte, error)) map[string]struct {
		From  int
		Lines []string
	} {
		var b bytes.Buffer
		if err := html.Write(&b, run, html.Options{Source: read}); err != nil {
			t.Fatal(err)
		}
		found := shownLines.FindSubmatch(b.Bytes())
		if found == nil {
			return nil
		}
		var got map[string]struct {
			From  int
			Lines []string
		}
		if err := json.Unmarshal(found[1], &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	got := lines(read)
	if diff := cmp.Diff([]string{"      - type: tools_not_called", `        params: {tools: ["</script>"]}`},
		got["scenarios/refund.yaml:38:9"].Lines); diff != "" || got["scenarios/refund.yaml:38:9"].From != 38 {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if len(got) != 1 {
		t.Errorf("lines that are of another check: %v", got)
	}
	trials := make([]*result.Trial, run.Briefs.Len())
	for i := range trials {
		var err error
		if trials[i], err = run.Trials.Trial(i); err != nil {
			t.Fatal(err)
		}
	}
	trials[0].Turns[0].Assistant += " [redacted]"
	all := run.Trials
	run.Trials = resulttest.Memory(trials)
	if got := lines(read); got != nil {
		t.Errorf("of a run from which something was taken out: %v", got)
	}
	run.Trials = all
	for secret, line := range map[string]string{
		"plantedRest55555": "headers: {X-Shop: plantedRest55555}", "plantedToken5555": "auth_token: plantedToken5555",
		"sk-planted1234567890": "text: sk-planted1234567890",
	} {
		whole := file
		file = bytes.Replace(file, []byte("params:"), []byte(line+"\n        params:"), 1)
		var b bytes.Buffer
		if err := html.Write(&b, run, html.Options{Source: read}); err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b.Bytes(), []byte(secret)) {
			t.Errorf("the report holds %s", secret)
		}
		file = whole
	}
	file = bytes.ReplaceAll(file, []byte("tools_not_called"), []byte("tools_called"))
	if got := lines(read); got != nil {
		t.Errorf("of another file: %v", got)
	}
	if got := lines(func(string) ([]byte, error) { return nil, os.ErrPermission }); got != nil {
		t.Errorf("of no file: %v", got)
	}
}
