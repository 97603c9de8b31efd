//go:build unix

package checks

import (
	"io"
	"net/http"
	"testing"
)

// TestAnswersThatBeginWithAMark: an invisible byte order mark is not part of an answer.
func TestAnswersThatBeginWithAMark(t *testing.T) {
	t.Parallel()
	const answer = "\ufeff{\"score\": 1}\n"
	server, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) })
	endpoint := compiledJSON(t, "rest_eval", `{"url": "`+server.URL+`"}`)
	if v := endpoint.Judge(t.Context(), outsideSubject(plainHost(t))); !v.Passed {
		t.Error(v.Error + v.Explanation)
	}
	program := compiledHandler(t, scripted(t, `printf '\357\273\277{"score": 1}'`), "")
	if v := program.Judge(t.Context(), outsideSubject(shellHost())); !v.Passed {
		t.Error(v.Error + v.Explanation)
	}
}
