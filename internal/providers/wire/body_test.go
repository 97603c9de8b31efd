package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers/providertest"
)

// verbatim is a codec that sends the texts and the data of all parts.
type verbatim struct{ plain }

func (verbatim) Encode(req *chat.Request) ([]byte, error) {
	var texts []string
	for i := range req.Messages {
		m := &req.Messages[i]
		texts = append(texts, m.Content)
		parts := m.Parts
		if m.ToolResult != nil {
			parts = m.ToolResult.Parts
		}
		for _, p := range parts {
			if texts = append(texts, p.Text); p.Media != nil {
				data, err := Base64(p.Media)
				if err != nil {
					return nil, err
				}
				texts = append(texts, data)
			}
		}
	}
	return json.Marshal(texts)
}

// TestLargeMediaOfARequest: the sent body and its hash hold the media as if they were encoded in place, also when it is
// sent again with other credentials. The request does not change.
func TestLargeMediaOfARequest(t *testing.T) {
	t.Parallel()
	loads := 0
	sound := bytes.Repeat([]byte("sound"), 20_000)
	text := chat.Encode(sound)
	media := func(mime string) chat.Part {
		m := &chat.Media{MIMEType: mime}
		if err := m.SetContent(chat.ContentOf(chat.SumOf(sound), len(sound), func() (string, error) {
			loads++
			return text, nil
		})); err != nil {
			t.Fatal(err)
		}
		return chat.Part{Type: "audio", Media: m}
	}
	req := &chat.Request{Messages: []chat.Message{
		{Role: chat.User, Parts: []chat.Part{{Type: "text", Text: "arena-medium- is a word"}, media("audio/wav"), media("audio/wav")}},
		{Role: chat.Assistant, Content: "A sound."},
		{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: "1", Parts: []chat.Part{media("audio/wav")}}},
	}}
	want, err := verbatim{}.Encode(req)
	if err != nil {
		t.Fatal(err)
	}
	loads = 0
	calls := 0
	transport := providertest.RoundTrip(func(r *http.Request) (*http.Response, error) {
		calls++
		got, err := io.ReadAll(r.Body)
		if err != nil || !bytes.Equal(got, want) || r.ContentLength != int64(len(want)) {
			t.Errorf("call %d: %d bytes were sent, %d told, %d wanted; %v", calls, len(got), r.ContentLength, len(want), err)
		}
		if calls == 1 {
			return providertest.Response(http.StatusUnauthorized, "application/json", "{}"), nil
		}
		return providertest.Response(http.StatusOK, "application/json", `{"text": "Yes.", "end": "stop"}`), nil
	})
	authorize := func(_ *http.Request, body *Body, _ string) error {
		if body.SHA256() != sha256.Sum256(want) {
			t.Error("the hash is that of another body")
		}
		return nil
	}
	c := New(providertest.Spec("plain", ""), Endpoint{URL: "http://model.test/ask", Authorize: authorize}, Options{Transport: transport})
	if reply, err := c.Complete(t.Context(), verbatim{}, req, nil); err != nil || reply.Content != "Yes." || calls != 2 {
		t.Errorf("%+v after %d calls: %v", reply, calls, err)
	}
	if m := req.Messages[0].Parts[1].Media; m.Data != "" || m.Content == nil || loads != 3 {
		t.Errorf("the request was changed, or its media were encoded %d times: %+v", loads, m)
	}
}

// TestMediaThatAreGone: a request is not sent if its media can no longer be read.
func TestMediaThatAreGone(t *testing.T) {
	t.Parallel()
	m := &chat.Media{MIMEType: "image/png"}
	gone := chat.ContentOf(strings.Repeat("0a", sha256.Size), chat.InlineMedia+1, func() (string, error) { return "", errors.New("red.png is gone") })
	if err := m.SetContent(gone); err != nil {
		t.Fatal(err)
	}
	c := New(providertest.Spec("plain", ""), Endpoint{URL: "http://model.test/ask"}, Options{
		Transport: providertest.RoundTrip(func(*http.Request) (*http.Response, error) {
			return nil, errors.New("something was sent")
		}),
	})
	req := &chat.Request{Messages: []chat.Message{{Role: chat.User, Parts: []chat.Part{{Type: "image", Media: m}}}}}
	if _, err := c.Complete(t.Context(), verbatim{}, req, nil); err == nil ||
		!strings.Contains(err.Error(), "the request cannot be sent: red.png is gone") {
		t.Error(err)
	}
}
