package open

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestPictures: models that make pictures are asked as their APIs want it, and what they make is a part of
// the reply.
func TestPictures(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "media", "testdata", "rgb.png"))
	if err != nil {
		t.Fatal(err)
	}
	png := chat.Encode(data)
	for _, c := range []struct {
		name, kind, role, model string
		extra                   jsonvalue.Object
		path, asked, answer     string
		stream                  bool
		mime, fails             string
		tokens                  int
	}{
		{name: "openai", kind: "openai", role: "image", model: "dall-e-3", extra: jsonvalue.Object{"size": "1024x1024"},
			path:   "/v1/images/generations",
			asked:  `{"model":"dall-e-3","n":1,"prompt":"In blue.\n\nA cat.","response_format":"b64_json","size":"1024x1024"}`,
			answer: `{"created":1,"data":[{"b64_json":"` + png + `","revised_prompt":"A blue cat."}]}`, mime: "image/png"},
		{name: "openai counts", kind: "openai", role: "image", model: "gpt-image-1", path: "/v1/images/generations", stream: true,
			asked:  `{"model":"gpt-image-1","prompt":"In blue.\n\nA cat.","n":1}`,
			answer: `{"data":[{"b64_json":"` + png + `"}],"output_format":"png","usage":{"input_tokens":9,"output_tokens":1056}}`,
			mime:   "image/png", tokens: 1065},
		{name: "an address", kind: "openai", role: "image", model: "dall-e-2", path: "/v1/images/generations",
			asked:  `{"model":"dall-e-2","prompt":"In blue.\n\nA cat.","n":1,"response_format":"b64_json"}`,
			answer: `{"data":[{"url":"https://pictures.example/1.png"}]}`, fails: "has the address of a picture in place of the picture"},
		{name: "another type", kind: "openai", role: "image", model: "gpt-image-1", path: "/v1/images/generations",
			asked:  `{"model":"gpt-image-1","prompt":"In blue.\n\nA cat.","n":1}`,
			answer: `{"data":[{"b64_json":"` + png + `"}],"output_format":"jpeg"}`, fails: "image/jpeg, and its bytes are png"},
		{name: "no picture", kind: "openai", role: "image", model: "gpt-image-1", path: "/v1/images/generations",
			asked:  `{"model":"gpt-image-1","prompt":"In blue.\n\nA cat.","n":1}`,
			answer: `{"data":[]}`, fails: "has nothing in it that the model made"},
		{name: "imagen", kind: "imagen", role: "image", model: "imagen-4.0-generate-001",
			extra:  jsonvalue.Object{"size": "1024x768"},
			path:   "/v1beta/models/imagen-4.0-generate-001:predict",
			asked:  `{"instances":[{"prompt":"In blue.\n\nA cat."}],"parameters":{"aspectRatio":"4:3","sampleCount":1}}`,
			answer: `{"predictions":[{"mimeType":"image/png","bytesBase64Encoded":"` + png + `"}]}`, mime: "image/png"},
		{name: "filtered", kind: "imagen", role: "image", model: "imagen-4", path: "/v1beta/models/imagen-4:predict",
			asked:  `{"instances":[{"prompt":"In blue.\n\nA cat."}],"parameters":{"sampleCount":1}}`,
			answer: `{"predictions":[{"raiFilteredReason":"unsafe words"}]}`, fails: "the model made no image: unsafe words"},
		{name: "taken out", kind: "imagen", role: "image", model: "imagen-4", path: "/v1beta/models/imagen-4:predict",
			asked: `{"instances":[{"prompt":"In blue.\n\nA cat."}],"parameters":{"sampleCount":1}}`, answer: `{}`,
			fails: "the reply is empty, as when a filter took it out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil || r.URL.Path != c.path {
					t.Errorf("%s: %v", r.URL.Path, err)
				}
				if diff := cmp.Diff(c.asked, strings.TrimSpace(string(body))); diff != "" {
					t.Errorf("the request (-want +got):\n%s", diff)
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, c.answer)
			}))
			defer server.Close()
			base := server.URL
			if c.kind == "openai" {
				base += "/v1"
			}
			client, err := New(&scenario.Provider{
				Meta: scenario.Meta{ID: "painter"}, Type: c.kind, Role: c.role, Model: c.model, BaseURL: base, APIKey: "key",
			}, Options{Retries: new(int)})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = providers.Close(client) }()
			reply, err := client.Complete(t.Context(), &chat.Request{
				Messages: []chat.Message{{Role: chat.System, Content: "In blue."}, {Role: chat.User, Content: "A cat."}},
				Stream:   c.stream, Extra: c.extra,
			}, nil)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("%v, want %s", err, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(reply.Parts) != 1 || reply.Parts[0].Media.MIMEType != c.mime || reply.Parts[0].Media.Data != png ||
				reply.Usage.Total() < c.tokens || (c.tokens == 0) != (len(reply.Unreported) == 1) {
				t.Errorf("%+v", reply)
			}
		})
	}
	client, err := New(&scenario.Provider{
		Meta: scenario.Meta{ID: "painter"}, Type: "imagen", Role: "image", Model: "imagen-4", APIKey: "key",
	}, Options{Retries: new(int)})
	if err != nil {
		t.Fatal(err)
	}
	talk := []chat.Message{{Role: chat.User, Content: "a"}, {Role: chat.Assistant, Content: "b"}, {Role: chat.User, Content: "c"}}
	_, err = client.Complete(t.Context(), &chat.Request{Messages: talk}, nil)
	if failed, ok := errors.AsType[*providers.Error](err); !ok || !strings.Contains(failed.Msg, "takes a single message") {
		t.Error(err)
	}
}
