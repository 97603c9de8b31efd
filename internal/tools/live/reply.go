package live

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/pause"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/tools"
)

const retryPause = 200 * time.Millisecond

// send sends a request, and once more where that does no harm: it never left, or it may be repeated and the server was
// not there for it.
func (e *endpoint) send(ctx context.Context, r *request) (*dial.Reply, error) {
	got, err := e.once(ctx, r)
	repeatable := e.Method != http.MethodPost && e.Method != http.MethodPatch && e.Method != http.MethodOptions
	again := dial.Unsent(err) || err == nil && repeatable && dial.Unavailable(got.Status)
	if again && pause.For(ctx, retryPause) == nil {
		got, err = e.once(ctx, r)
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return got, err
}

func (e *endpoint) once(ctx context.Context, r *request) (*dial.Reply, error) {
	req, err := http.NewRequestWithContext(ctx, e.Method, r.url, bytes.NewReader(r.body))
	if err != nil {
		return nil, errors.New("it is not an address that can be called")
	}
	req.Header = r.header.Clone()
	return dial.Fetch(e.client, req, maxReply)
}

// result makes the result of a reply to a request with these headers: redacted before anything else sees it, then
// mapped.
func (e *endpoint) result(got *dial.Reply, asked http.Header) (chat.ToolResult, error) {
	good := got.Status >= 200 && got.Status <= 299
	if kind, media := e.media(got.Header.Get("Content-Type")); good && media {
		return mediaResult(kind, got.Body)
	}
	text, err := dial.Text(got.Header, got.Body)
	switch {
	case err == nil:
		got.Body = text
	case good:
		return chat.ToolResult{}, err
	default: // what is to be redacted could not be found in it
		got.Body = []byte(err.Error())
	}
	r, err := e.read(got)
	if err != nil {
		return chat.ToolResult{}, err
	}
	if !good {
		if r.hidden != nil {
			got.Body = []byte(r.hidden.Error())
		}
		return chat.ToolResult{}, refused(got)
	}
	if err := r.unusable(got, asked); err != nil {
		return chat.ToolResult{}, err
	}
	return e.mapped(&r, got.Body)
}

// reply is the body of a reply, redacted.
type reply struct {
	value     any // nil where it is no JSON
	isJSON    bool
	duplicate error // a key that is twice in one object; nil: none
	hidden    error // a field to redact is in what is no JSON
}

// read reads a body and redacts it, in got too.
func (e *endpoint) read(got *dial.Reply) (r reply, err error) {
	v, err := chat.DecodeJSON(got.Body)
	if err != nil {
		return reply{hidden: e.redaction.remains(got.Body)}, nil
	}
	r = reply{value: v, isJSON: true}
	if key, twice := jsonvalue.KeyTwiceAsWritten(got.Body); twice {
		r.duplicate = fmt.Errorf("its reply has the key %q twice in one object", key)
	}
	if len(e.Redact) > 0 {
		r.value = e.redaction.of(v)
		got.Body, err = jsonvalue.Plain(r.value)
	}
	return r, err
}

// unusable is why a reply of a good status is no result; nil: it is one.
func (r *reply) unusable(got *dial.Reply, asked http.Header) error {
	switch {
	case r.hidden != nil:
		return r.hidden
	case r.duplicate != nil:
		return r.duplicate
	case r.isJSON:
		return nil
	case isPage(got) && !acceptsHTML(asked):
		return pageError(got.Body)
	case len(got.Body) > 0 && announcesJSON(got):
		return fmt.Errorf("it announces its reply as JSON, which it is not: %s", say.Quote(string(got.Body)))
	}
	return nil
}

// mapped makes the result of a reply: what response.body_mapping finds in it, or all of it.
func (e *endpoint) mapped(r *reply, body []byte) (chat.ToolResult, error) {
	v := r.value
	if !r.isJSON {
		v = map[string]any{"result": string(body)}
	}
	if r.isJSON && e.reply == nil {
		return chat.ToolResult{Content: tools.Present(bytes.TrimSpace(body))}, nil
	}
	doubt := ""
	if e.reply != nil {
		found, err := e.reply.Run(v)
		if err != nil {
			return chat.ToolResult{}, fmt.Errorf("response.body_mapping: %w", err)
		}
		if r.isJSON && e.reply.Lost(v) {
			doubt = fmt.Sprintf("response.body_mapping: nothing in a reply is at %q, %s", e.reply.Text, keysOf(v))
		}
		if v = found.Value; v == nil && !r.isJSON && len(body) > 0 {
			return chat.ToolResult{}, fmt.Errorf("response.body_mapping finds nothing: the reply is no JSON: %s",
				say.Quote(string(body)))
		}
	}
	data, err := jsonvalue.Plain(v)
	if err != nil {
		return chat.ToolResult{}, err
	}
	return chat.ToolResult{Content: tools.Present(data), Doubt: doubt}, nil
}

// keysOf lists the keys of a document, for an error.
func keysOf(v any) string {
	switch v := v.(type) {
	case jsonvalue.Object:
		if len(v) == 0 {
			return "which is an empty object"
		}
		return "where keys are " + say.Quoted(slices.Sorted(maps.Keys(v)))
	case []any:
		return "which is a list of " + plural.Count(len(v), "item")
	}
	return "which is no object"
}

// isPage reports whether a reply is an HTML page, by its type or its beginning; a fragment is not a page. Proxies and
// login pages return pages with a successful status.
func isPage(got *dial.Reply) bool {
	kind, _, err := mime.ParseMediaType(got.Header.Get("Content-Type"))
	if err == nil && (kind == "text/html" || kind == "application/xhtml+xml") {
		return true
	}
	begins := strings.ToLower(string(bytes.TrimSpace(got.Body[:min(len(got.Body), 100)])))
	return strings.HasPrefix(begins, "<!doctype html") || strings.HasPrefix(begins, "<html")
}

// announcesJSON reports whether a reply says that it is JSON.
func announcesJSON(got *dial.Reply) bool {
	kind, _, err := mime.ParseMediaType(got.Header.Get("Content-Type"))
	return err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}

// acceptsHTML reports whether a request asks for pages.
func acceptsHTML(asked http.Header) bool {
	return slices.ContainsFunc(asked.Values("Accept"), func(types string) bool {
		return strings.Contains(strings.ToLower(types), "html")
	})
}

// pageError is the error of a page in the place of data.
type pageError []byte

func (e pageError) Error() string {
	return fmt.Sprintf("it answers with an HTML page in place of data: %s; if pages are what the tool gets, "+
		"let its headers say so: Accept: text/html", say.Quote(string(e)))
}

// refused is the error of a response without success.
func refused(got *dial.Reply) error {
	text := fmt.Sprintf("status %d", got.Status)
	if name := http.StatusText(got.Status); name != "" {
		text += " " + name
	}
	body := []rune(strings.TrimSpace(strings.ToValidUTF8(string(got.Body), "\uFFFD")))
	if len(body) > maxBody {
		body = append(body[:maxBody], '…')
	}
	if len(body) > 0 {
		text += ": " + string(body)
	}
	return answeredError{errors.New(text)}
}

// media reports whether a reply of this type is an image, a sound or other media, which models get unchanged.
func (e *endpoint) media(contentType string) (kind string, media bool) {
	kind, _, err := mime.ParseMediaType(contentType)
	if !e.Media || err != nil {
		return "", false
	}
	wanted := e.AcceptTypes
	if len(wanted) == 0 {
		wanted = []string{"image/*", "audio/*", "video/*"}
	}
	return kind, slices.ContainsFunc(wanted, func(w string) bool {
		w, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(w)), ";")
		prefix, all := strings.CutSuffix(w, "*")
		return w == kind || all && strings.HasPrefix(kind, prefix) || strings.HasSuffix(w, "/") && strings.HasPrefix(kind, w)
	})
}

func mediaResult(kind string, body []byte) (chat.ToolResult, error) {
	part := "document"
	for _, name := range []string{"image", "audio", "video"} {
		if strings.HasPrefix(kind, name+"/") {
			part = name
		}
	}
	text, err := jsonvalue.Plain(struct {
		Type        string `json:"type"`
		ContentType string `json:"content_type"`
		Size        int    `json:"size_bytes"`
	}{part, kind, len(body)})
	return chat.ToolResult{Content: string(text), Parts: []chat.Part{
		{Type: "text", Text: string(text)},
		{Type: part, Media: &chat.Media{MIMEType: kind, Data: base64.StdEncoding.EncodeToString(body)}},
	}}, err
}
