package checks

import (
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

// TestMediaOfNothing: an image without bytes or an address does not count as media.
func TestMediaOfNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		media chat.Media
		want  float64
	}{
		{chat.Media{MIMEType: "image/png"}, 0},
		{chat.Media{MIMEType: "image/png", Data: "AA=="}, 1},
		{chat.Media{MIMEType: "image/png", URL: "https://x.example/a.png"}, 1},
		{chat.Media{MIMEType: "image/png", Path: "a.png"}, 1},
	} {
		for name, params := range map[string]string{
			"tool_result_has_media": `{}`, "tool_result_media_type": `{"media_type": "image/png"}`,
		} {
			s := &Subject{Session: true, Turn: -1, Calls: []Call{
				{Name: "get", Parts: []chat.Part{{Type: "image", Media: &c.media}}},
			}}
			f, err := compiledJSON(t, name, params).Eval(t.Context(), s)
			if err != nil || f.Score != c.want {
				t.Errorf("%s: %+v: %v %v %q", name, c.media, f.Score, err, f.Explanation)
			}
		}
	}
}
