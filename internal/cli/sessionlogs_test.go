package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/result"
)

// TestUnfinishedRecordings warns of every conversation that did not end, and finishes those that did, whatever was
// taken out of the name that their result has.
func TestUnfinishedRecordings(t *testing.T) {
	t.Parallel()
	l := &sessionLogs{
		dir: t.TempDir(), secrets: harness.NewSecrets(nil), judged: map[string]bool{}, open: map[string]*sessionLog{},
	}
	for _, trial := range []string{"a/m/default", "b/m/default", "c/m/default"} {
		e := result.MessageCreated{At: result.At{Trial: trial}, Message: &chat.Message{Role: chat.User, Content: "hi"}}
		if err := l.handle(e); err != nil {
			t.Fatal(err)
		}
	}
	done := result.TrialDone{At: result.At{Trial: "b/m/default"}, Trial: &result.Trial{ID: "[redacted]/m/default"}}
	if err := l.handle(done); err != nil {
		t.Fatal(err)
	}
	list := l.unfinished()
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, d := range list {
		told = append(told, d.Line())
	}
	all := strings.Join(told, "\n")
	if len(list) != 2 || !strings.Contains(all, "a/m/default") || !strings.Contains(all, "c/m/default") {
		t.Errorf("told of %q", told)
	}
	parts, _ := filepath.Glob(filepath.Join(l.dir, "*.part"))
	if _, err := os.Stat(l.path("b/m/default")); err != nil || len(parts) != len(list) {
		t.Errorf("unfinished are %q: %v", parts, err)
	}
}
