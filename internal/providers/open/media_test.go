package open

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The bytes of the media in these tests, whose types were settled before.
var (
	aPicture = []byte("\x89PNG picture")
	aPaper   = []byte("%PDF-1.7 paper %%EOF")
	aSound   = []byte("RIFF sound")
	aNote    = []byte("A note.")
)

func medium(kind, mime, source string, data []byte) chat.Part {
	m := &chat.Media{MIMEType: mime, Source: source}
	m.Content = chat.NewContent(data) // as larger ones have it
	m.SHA256, m.Size = m.Content.SHA256(), m.Content.Size()
	return chat.Part{Type: kind, Media: m}
}

// wires are the APIs, with the parts of a request that are compared with the vendor's format.
var apis = []struct {
	name, file string
	spec       scenario.Provider
	parts      []chat.Part
	reply      string
}{
	{"completions", "completions.json", scenario.Provider{Type: "openai", Model: "gpt-4o"}, []chat.Part{
		medium("audio", "audio/wav", "hello.wav", aSound), medium("audio", "audio/mpeg", "hello.mp3", aSound),
		medium("document", "application/pdf", "docs/paper.pdf", aPaper),
	}, `{"choices":[{"message":{"role":"assistant","content":"A card."},"finish_reason":"stop"}]}`},
	{"responses", "responses.json", scenario.Provider{Type: "openai", Model: "o1-pro"}, []chat.Part{
		medium("document", "application/pdf", "docs/paper.pdf", aPaper),
	}, `{"status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"A card."}]}]}`},
	{"anthropic", "anthropic.json", scenario.Provider{Type: "anthropic", Model: "claude-sonnet-4-5"}, []chat.Part{
		medium("document", "application/pdf", "docs/paper.pdf", aPaper),
		medium("document", "text/markdown", "docs/note.md", aNote),
	}, `{"type":"message","role":"assistant","content":[{"type":"text","text":"A card."}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`},
	{"gemini", "gemini.json", scenario.Provider{Type: "gemini", Model: "gemini-2.5-flash"}, []chat.Part{
		medium("audio", "audio/wav", "hello.wav", aSound), medium("video", "video/mp4", "clip.mp4", aSound),
		medium("document", "application/pdf", "docs/paper.pdf", aPaper),
	}, `{"candidates":[{"content":{"role":"model","parts":[{"text":"A card."}]},"finishReason":"STOP"}]}`},
}

// TestMediaOnTheWires compares sent media with the formats of the vendors: images, documents, sounds and videos of the
// user, and an image of a tool.
func TestMediaOnTheWires(t *testing.T) {
	t.Parallel()
	for _, w := range apis {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			var sent []byte
			server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				sent, _ = io.ReadAll(r.Body)
				rw.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(rw, w.reply)
			}))
			defer server.Close()
			spec := w.spec
			if w.name == "responses" {
				spec.APIMode = "responses"
			}
			spec.ID, spec.BaseURL, spec.APIKey = "it", server.URL, "key"
			p, err := New(&spec, Options{Jobs: 1})
			if err != nil {
				t.Fatal(err)
			}
			detailed := medium("image", "image/png", "red.png", aPicture)
			detailed.Media.Detail = "low"
			asked := append([]chat.Part{{Type: "text", Text: "What is on it?"}, detailed}, w.parts...)
			for i := range asked {
				if asked[i].Media == nil {
					continue
				}
				if err := providers.Takes(p, &asked[i]); err != nil {
					t.Errorf("%s %s: %v", asked[i].Type, asked[i].Media.MIMEType, err)
				}
			}
			req := &chat.Request{Messages: []chat.Message{
				{Role: chat.User, Parts: asked},
				{Role: chat.Assistant, ToolCalls: []chat.ToolCall{
					{ID: "c1", Name: "draw", Args: chat.Args{}}, {ID: "c2", Name: "look", Args: chat.Args{}},
				}},
				{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: "c1", Name: "draw", Parts: []chat.Part{
					{Type: "text", Text: "Drawn."}, medium("image", "image/png", "", aPicture),
				}}},
				{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: "c2", Name: "look", Content: "Nothing."}},
			}}
			if _, err := p.Complete(t.Context(), req, nil); err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := json.Indent(&got, sent, "", "  "); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", "media", w.file)
			if *update {
				if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimSpace(string(want)), strings.TrimSpace(got.String())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestMediaThatAreNotTaken: unsupported media are known before the call.
func TestMediaThatAreNotTaken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		api  int
		part chat.Part
		want string
	}{
		{0, medium("video", "video/mp4", "", aSound), "the API does not take video"},
		{0, medium("audio", "audio/ogg", "", aSound), "does not take audio/ogg; it takes audio/wav and audio/mpeg"},
		{0, medium("document", "text/plain", "", aNote), "does not take text/plain; it takes application/pdf"},
		{0, medium("image", "image/heic", "", aPicture), "does not take image/heic"},
		{1, medium("audio", "audio/wav", "", aSound), "the API does not take audio"},
		{1, medium("video", "video/mp4", "", aSound), "the API does not take video"},
		{2, medium("audio", "audio/wav", "", aSound), "the API does not take audio"},
		{2, medium("image", "image/bmp", "", aPicture), "does not take image/bmp"},
		{2, medium("document", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "", aNote), "does not take"},
		{3, medium("image", "image/gif", "", aPicture), "does not take image/gif"},
		{3, medium("document", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "", aNote), "does not take"},
	} {
		spec := apis[c.api].spec
		if c.api == 1 {
			spec.APIMode = "responses"
		}
		spec.ID, spec.BaseURL, spec.APIKey = "it", "http://127.0.0.1:1", "key"
		p, err := New(&spec, Options{Jobs: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := providers.Takes(p, &c.part); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %s %s: %v, want %s", apis[c.api].name, c.part.Type, c.part.Media.MIMEType, err, c.want)
		}
	}
}
