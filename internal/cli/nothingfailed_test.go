package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/arena-evals/arena/internal/result"
)

// TestLastFailedKnowsEveryReason: the script that shows what --last-failed does with a run that is red for some reason
// has every reason that there is.
func TestLastFailedKnowsEveryReason(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile(filepath.Join("testdata", "script", "last-failed-reasons.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range result.FailOnWords {
		if shown := regexp.MustCompile(`(?m)^exits [13] arena run .*--fail-on ` + word + `\b`); !shown.Match(script) {
			t.Errorf("no run of the script is red by %s", word)
		}
	}
}
