package checks

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/result"
)

// TestWhatEveryReplyPasses: there is a warning of checks that every reply passes.
func TestWhatEveryReplyPasses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		check, params string
		want          bool
	}{
		{"regex", "pattern: '^.+$'", true},
		{"output_matches", `pattern: '\w+'`, true},
		{"regex", "pattern: '^[^\\n]+$'", false},
		{"tool_result_matches", "{tool: a, pattern: .+}", false}, // a result may be empty
		{"tool_exec", "{tool: a, failure_pattern: .+}", false},
		{"finish_reason", "reasons: [stop, length, tool_calls, content_filter]", true},
		{"finish_reason", "reasons: [stop, length, tool_calls]", false},
	} {
		_, problems := compileYAML(tc.check, tc.params)
		told := false
		for _, p := range problems {
			told = told || p.Code == "cannot-fail"
		}
		if told != tc.want {
			t.Errorf("%s {%s}: told %v: %v", tc.check, tc.params, told, problems)
		}
	}
	_, problems := compileYAML("regex", "{pattern: 'idiot, stupid', expect_match: false}")
	if len(problems) != 1 || !strings.Contains(problems[0].Msg, "only with its commas") {
		t.Errorf("a list as a pattern: %v", problems)
	}
}

// TestBansOfMediaNeedMedia: without media a ban of media cannot be judged, and a requirement fails.
func TestBansOfMediaNeedMedia(t *testing.T) {
	t.Parallel()
	for check, params := range map[string]string{
		"image_format": "formats: [gif]", "audio_format": "formats: [mp3]", "image_dimensions": "max_width: 9",
		"audio_duration": "max_seconds: 9", "video_duration": "max_seconds: 9", "video_resolution": "max_width: 9",
	} {
		for way, want := range map[string]result.Status{
			"": result.Failed, "not": result.Errored, "max_score": result.Errored,
		} {
			name, given := check, "{"+params+"}"
			switch way {
			case "not":
				name, given = "not", "check: {type: "+check+", params: {"+params+"}}"
			case "max_score":
				given = "{" + params + ", max_score: 0}"
			}
			c, problems := compileYAML(name, given)
			if c == nil {
				t.Fatalf("%s: %v", check, problems)
			}
			if v := c.Judge(t.Context(), &Subject{Messages: conversation()}); v.Status != want {
				t.Errorf("%s %s: %v, want %v: %s", way, check, v.Status, want, v.Explanation)
			}
		}
	}
}
