package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHTTPPage runs the scenarios of docs/http-endpoints.md with its providers, against such endpoints.
func TestHTTPPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "http-endpoints.md"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(docEndpoint))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	files := 0
	for block := range strings.SplitSeq(strings.ReplaceAll(string(page), "\r\n", "\n"), "```yaml\n# ") {
		name, rest, found := strings.Cut(block, "\n")
		if !found || !strings.HasSuffix(name, ".yaml") {
			continue
		}
		body, _, _ := strings.Cut(rest, "```")
		body = strings.ReplaceAll(body, "http://localhost:8080", server.URL)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
		files++
	}
	code, out := arena(t, "run", dir, "--out", filepath.Join(dir, "out"))
	if code != 0 || files != 7 || !strings.Contains(out, "2 passed") || strings.Contains(out, "warning") {
		t.Errorf("%d files; ends with %d:\n%s", files, code, out)
	}
	code, out = arena(t, "prompt", "--wire", "order", dir)
	if code != 0 || !strings.Contains(out, `"turn": 0`) {
		t.Errorf("ends with %d:\n%s", code, out)
	}
}

// docEndpoint answers as the page says.
func docEndpoint(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Message, Conversation string
		Messages              []struct{ Role, Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	switch {
	case r.URL.Path == "/stream" && len(in.Messages) == 1 && in.Messages[0].Content == "Hello":
		w.Header().Set("Content-Type", "text/event-stream")
		for _, piece := range []string{"Hello! ", "How can ", "I help?"} {
			_, _ = fmt.Fprintf(w, "data: {\"choices\": [{\"delta\": {\"content\": %q}}]}\n\n", piece)
		}
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	case r.URL.Path == "/chat" && in.Conversation == "" && r.Header.Get("Authorization") == "Bearer none":
		_, _ = io.WriteString(w, `{"answer": {"text": "It is lost."}, "conversation_id": "c-1", `+
			`"usage": {"input_tokens": 9, "output_tokens": 4}, `+
			`"steps": [{"name": "get_order", "args": {"id": "A-1"}, "result": {"status": "lost"}}]}`)
	case r.URL.Path == "/chat" && in.Conversation == "c-1":
		_, _ = io.WriteString(w, `{"answer": {"text": "There was snow."}, "conversation_id": "c-1", "steps": []}`)
	default:
		http.Error(w, "nobody asks like this", http.StatusTeapot)
	}
}
