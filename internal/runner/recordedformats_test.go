package runner

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/result"
)

// A conversation of each format is green when what was said must have been said, and red when it must not: the words of
// its replies, and the tools that it called.
func TestEachFormatIsJudged(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../recording/testdata/good/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".golden") {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			f, err := recording.Open(file, recording.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range f.Sessions() {
				s, err := f.Load(i)
				if err != nil {
					t.Fatal(err)
				}
				unanswered := func(turn []recording.Message) bool {
					last := &turn[len(turn)-1]
					return last.Role != chat.Assistant || len(last.ToolCalls) > 0
				}
				if s.Error != "" || slices.ContainsFunc(recording.Turns(s.Messages), unanswered) {
					continue // it is incomplete, and an error whatever is asserted
				}
				judgeBothWays(t, s)
			}
		})
	}
}

func judgeBothWays(t *testing.T, s *recording.Session) {
	t.Helper()
	for i := range s.Messages {
		m := &s.Messages[i]
		if m.Role != chat.Assistant {
			continue
		}
		if text := m.Text(); text != "" {
			word := strconv.Quote(text)
			expect(t, s, result.Passed, "{type: content_includes_any, params: {patterns: ["+word+"]}}")
			expect(t, s, result.Failed, "{type: content_excludes, params: {patterns: ["+word+"]}}")
		}
		for _, call := range m.ToolCalls {
			name := strconv.Quote(call.Name)
			expect(t, s, result.Failed, "{type: tools_not_called, params: {tool_names: ["+name+"]}}")
		}
	}
}

// expect judges a conversation by one assertion.
func expect(t *testing.T, s *recording.Session, want result.Status, assertion string) {
	t.Helper()
	trial := trialOf(t.Context(), overRecording(t, "recording: {path: any.json}\nconversation_assertions:\n  - "+assertion+"\n", s),
		options(1))
	if trial.Status != want {
		t.Errorf("session %s, %s: got %v, want %v: %s %v", s.ID, assertion, trial.Status, want, trial.Error, trial.Conversation)
	}
}
