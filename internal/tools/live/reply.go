package live

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/ellipsis"
	"github.com/arena-evals/arena/internal/tools"
)

const (
	maxRedirects = 5
	retryPause   = 200 * time.Millisecond
)

// reply is what came back.
type reply struct {
	status int
	kind   string // of its content
	body   []byte
}

// send sends a request, and once more where that does no harm: it never left, or it may be repeated and the server was
// not there for it.
func (e *endpoint) send(ctx context.Context, r *request) (*reply, error) {
	got, err := e.once(ctx, r)
	repeatable := e.Method != http.MethodPost && e.Method != http.MethodPatch && e.Method != http.MethodOptions
	if unsent(err) || err == nil && repeatable && unavailable(got.status) {
		timer := time.NewTimer(retryPause)
		defer timer.Stop()
		select {
		case <-timer.C:
			got, err = e.once(ctx, r)
		case <-ctx.Done():
		}
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return got, err
}

// unsent reports that no connection came about, and that another one may.
func unsent(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial" && !errors.Is(err, dial.ErrOffline)
}

func unavailable(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusServiceUnavailable ||
		status == http.StatusGatewayTimeout
}

func (e *endpoint) once(ctx context.Context, r *request) (*reply, error) {
	req, err := http.NewRequestWithContext(ctx, e.Method, r.url, bytes.NewReader(r.body))
	if err != nil {
		return nil, errors.New("it is not an address that can be called")
	}
	req.Header = r.header.Clone()
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
	}
	client := *e.client
	client.CheckRedirect = redirect
	res, err := client.Do(req)
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok { // its text holds the address, and what may be secret in it
			err = wrapped.Err
		}
		return nil, err
	}
	defer res.Body.Close() // it was read
	body, err := io.ReadAll(io.LimitReader(res.Body, maxReply+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the reply broke off: %w", err)
	case len(body) > maxReply:
		return nil, fmt.Errorf("the reply is larger than %d MB", maxReply>>20)
	}
	return &reply{res.StatusCode, res.Header.Get("Content-Type"), body}, nil
}

// redirect follows an endpoint on its own host, where what was sent arrives whole. A stranger, above all one that only
// this machine can reach, gets neither the arguments nor the headers.
func redirect(req *http.Request, via []*http.Request) error {
	from := via[len(via)-1]
	switch {
	case len(via) > maxRedirects:
		return fmt.Errorf("it redirects more than %d times", maxRedirects)
	case !dial.SameHost(from.URL, req.URL):
		return fmt.Errorf("it redirects to another host, %q, which is not followed", ellipsis.Runes(req.URL.Host, 100))
	case req.Method != from.Method:
		return fmt.Errorf("it redirects with status %d, which loses what was sent; write the address where it is",
			req.Response.StatusCode)
	}
	return nil
}

// result makes the result of a reply: redacted before anything else sees it, then mapped.
func (e *endpoint) result(got *reply) (chat.ToolResult, error) {
	if ok := got.status >= 200 && got.status <= 299; ok {
		if kind, media := e.media(got.kind); media {
			return mediaResult(kind, got.body)
		}
	}
	v, err := chat.DecodeJSON(chat.WithoutBOM(got.body))
	isJSON := err == nil
	if isJSON && len(e.Redact) > 0 {
		v = redacted(v, e.Redact)
		if got.body, err = json.Marshal(v); err != nil {
			return chat.ToolResult{}, err
		}
	}
	switch {
	case got.status < 200 || got.status > 299:
		return chat.ToolResult{}, refused(got)
	case !isJSON:
		v = map[string]any{"result": strings.ToValidUTF8(string(got.body), "\uFFFD")}
	}
	if e.reply != nil {
		found, err := e.reply.Run(v)
		if err != nil {
			return chat.ToolResult{}, fmt.Errorf("response.body_mapping: %w", err)
		}
		v = found.Value
	}
	data := bytes.TrimSpace(chat.WithoutBOM(got.body))
	if !isJSON || e.reply != nil {
		if data, err = json.Marshal(v); err != nil {
			return chat.ToolResult{}, err
		}
	}
	return chat.ToolResult{Content: tools.Present(data)}, nil
}

// refused is the error of a status that is none of success.
func refused(got *reply) error {
	text := fmt.Sprintf("status %d", got.status)
	if name := http.StatusText(got.status); name != "" {
		text += " " + name
	}
	body := []rune(strings.TrimSpace(strings.ToValidUTF8(string(got.body), "\uFFFD")))
	if len(body) > maxBody {
		body = append(body[:maxBody], '…')
	}
	if len(body) > 0 {
		text += ": " + string(body)
	}
	return errors.New(text)
}

// redacted is a value without the named fields, wherever they stand.
func redacted(v any, fields []string) any {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			if slices.Contains(fields, name) {
				v[name] = "[REDACTED]"
			} else {
				v[name] = redacted(inner, fields)
			}
		}
	case []any:
		for i := range v {
			v[i] = redacted(v[i], fields)
		}
	}
	return v
}

// media reports whether a reply of this type is a picture, a sound or the like, which models get as it is.
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
	text, err := json.Marshal(struct {
		Type        string `json:"type"`
		ContentType string `json:"content_type"`
		Size        int    `json:"size_bytes"`
	}{part, kind, len(body)})
	return chat.ToolResult{Content: string(text), Parts: []chat.Part{
		{Type: "text", Text: string(text)},
		{Type: part, Media: &chat.Media{MIMEType: kind, Data: base64.StdEncoding.EncodeToString(body)}},
	}}, err
}
