package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// excerptRunes is the maximum length of a server's text in an error.
const excerptRunes = 300

// Excerpt is the scrubbed start of an outside text, for an error.
func (c *Client) Excerpt(text string) string { return c.scrub.excerpt(text) }

// ExcerptOf is the scrubbed start of a body, for an error; for an HTML page it is the title.
func (c *Client) ExcerptOf(body []byte) string {
	if text := bytes.TrimSpace(body); len(text) > 0 && text[0] == '<' {
		if m := htmlTitle().FindSubmatch(text); m != nil {
			return fmt.Sprintf("HTML page %q", c.Excerpt(string(m[1])))
		}
	}
	return c.Excerpt(string(body))
}

var htmlTitle = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?is)<title[^>]*>\s*([^<]+?)\s*</title>`)
})

// serverMessage returns the error message in a response, or the start of a body without one.
func (c *Client) serverMessage(body []byte, r Report) string {
	if r.Message != "" {
		return c.Excerpt(r.Message)
	}
	return c.ExcerptOf(body)
}

// Report is the error report of a server, in one of the common forms.
type Report struct {
	Message    string
	Type, Code string
	Param      string // the parameter that the server refused
	RetryAfter time.Duration
}

// Is reports whether the error has this code or type.
func (r Report) Is(code string) bool { return r.Code == code || r.Type == code }

// readReport reads {"error": {"message": …}}, {"error": "…"}, {"message": …}, {"detail": …} and lists of these.
func readReport(data []byte) Report {
	var v any
	if err := json.Unmarshal(chat.WithoutBOM(data), &v); err != nil {
		return Report{}
	}
	return reportOf(v)
}

func reportOf(v any) Report {
	switch v := v.(type) {
	case string:
		return Report{Message: v}
	case []any:
		if len(v) > 0 {
			return reportOf(v[0])
		}
	case jsonvalue.Object:
		r := Report{
			Type: cmp.Or(scalar(v["type"]), scalar(v["status"])), Code: scalar(v["code"]), Param: scalar(v["param"]),
			RetryAfter: retryDelay(v["details"]),
		}
		for _, key := range []string{"error", "message", "detail", "msg", "errors"} {
			if inner := reportOf(v[key]); inner.Message != "" {
				return Report{
					inner.Message, cmp.Or(inner.Type, r.Type), cmp.Or(inner.Code, r.Code), cmp.Or(inner.Param, r.Param),
					cmp.Or(inner.RetryAfter, r.RetryAfter),
				}
			}
		}
		return r
	}
	return Report{}
}

// retryDelay is the time to wait in the error details of Google's services.
func retryDelay(details any) time.Duration {
	list, _ := details.([]any)
	for _, item := range list {
		info, _ := item.(jsonvalue.Object)
		if text, _ := info["retryDelay"].(string); text != "" {
			if wait, err := time.ParseDuration(text); err == nil && wait > 0 {
				return min(wait, longestSpan)
			}
		}
	}
	return 0
}

func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return fmt.Sprint(v)
	}
	return ""
}
