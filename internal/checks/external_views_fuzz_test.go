package checks

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/providers"
)

// FuzzProgramOutput reads anything that a program may print.
func FuzzProgramOutput(f *testing.F) {
	for _, text := range []string{
		``, `{"score": 1}`, ` {"score": "0.5", "detail": "a\nb", "data": {"k": [1]}} `, `{"score": 1} {"score": 0}`, `[1]`,
		`{"score": 1e-400}`, `{"score": 0, "SCORE": 1}`, "{\"score\": 1, \"detail\": \"\x1b[31m\"}", `{"data": null, "score": null}`,
	} {
		f.Add(text)
	}
	scrub := providers.NewScrubber(secretKey)
	f.Fuzz(func(t *testing.T, text string) {
		finding, err := scoreFrom(text, scrub)
		if err != nil {
			presentable(t, err.Error())
			return
		}
		if !(finding.Score >= 0 && finding.Score <= 1) || !json.Valid([]byte(text)) {
			t.Errorf("%q: score %v", text, finding.Score)
		}
		presentable(t, finding.Explanation)
	})
}

// FuzzEndpointReply reads anything that an endpoint or an agent may send.
func FuzzEndpointReply(f *testing.F) {
	for _, text := range []string{
		``, `{"score": 1}`, `{"result": {"parts": [{"text": "{\"score\": 1}"}]}}`, `{"error": {"code": 1, "message": "\u001b"}}`,
		`{"result": {"id": "t", "status": {"state": "failed", "message": {"parts": [{"text": "no"}]}}}}`,
		`{"result": {"id": "t", "status": {"state": "completed"}, "artifacts": [{"parts": [{"text": "1"}]}]}}`,
		`{"result": {"status": {"state": "working"}}}`, `{"result": []}`, `{"score": 1} {"score": 0}`,
	} {
		f.Add(text)
	}
	var all []*Compiled
	for name, params := range map[string]string{
		"rest_eval": `{"url": "http://x.test"}`, "a2a_eval": `{"agent_url": "http://x.test", "timeout": "150ms"}`,
	} {
		all = append(all, compiledJSON(f, name, params))
	}
	f.Fuzz(func(t *testing.T, text string) {
		h := &Host{HTTP: &http.Client{Transport: canned(text)}, Getenv: lookup(nil)}
		for _, c := range all {
			v := c.Judge(t.Context(), outsideSubject(h))
			sane(t, c.Type, &v)
		}
	})
}

// canned answers every request with one text.
type canned string

func (text canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(string(text))), Request: r}, nil
}

func presentable(t *testing.T, text string) {
	t.Helper()
	if strings.ContainsAny(text, "\n\x00\x1b") || strings.Contains(text, secretKey) {
		t.Errorf("an ugly text: %q", text)
	}
}
