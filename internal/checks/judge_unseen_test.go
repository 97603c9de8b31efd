package checks

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// A judge gets the words alone: criteria of media that are there are told of, whoever sent them.
func TestJudgesSeeNoMedia(t *testing.T) {
	t.Parallel()
	part := func(kind string) chat.Part {
		return chat.Part{Type: kind, Media: &chat.Media{MIMEType: kind + "/x", URL: "u"}}
	}
	for _, c := range []struct {
		criteria, kind string
		told           bool
	}{
		{"The picture shows a cat.", "image", true}, {"Beschreibt die Antwort das Bild?", "image", true},
		{"Is the recording clear?", "audio", true}, {"The film is in colour", "video", true},
		{"The reply is polite.", "image", false}, {"The picture shows a cat.", "audio", false}, {"Imagine it", "image", false},
	} {
		for check, params := range map[string]string{
			"llm_judge":         `{"criteria": ` + jsonvalue.Compact(c.criteria) + `, "min_score": 0.5}`,
			"llm_judge_session": `{"criteria": ` + jsonvalue.Compact(c.criteria) + `, "min_score": 0.5}`,
		} {
			compiled, problems := compileJSON(&Compiler{}, check, params, ScopeSession, nil)
			if compiled == nil {
				t.Fatal(problems)
			}
			for i := range 2 {
				messages := []chat.Message{{Role: chat.User, Content: "x"}, {Role: chat.Assistant, Content: "y"}}
				messages[i].Parts = []chat.Part{part(c.kind)}
				got := compiled.Doubts(&Subject{Messages: messages, Start: 1})
				if told := len(got) == 1 && strings.Contains(got[0], c.kind); told != c.told || len(got) > 1 {
					t.Errorf("%s %q of %s: %q", check, c.criteria, c.kind, got)
				}
			}
		}
	}
	compiled, _ := compileJSON(&Compiler{}, "llm_judge", `{"criteria": "The picture shows a cat."}`, ScopeTurn, nil)
	if got := compiled.Doubts(&Subject{Messages: []chat.Message{{Role: chat.Assistant, Content: "y"}}}); got != nil {
		t.Errorf("no picture: %q", got)
	}
}
