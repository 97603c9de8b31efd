package metrics

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/arena-evals/arena/internal/exposition"
)

// How a push is repeated.
const (
	pushTries   = 3
	pushTimeout = 10 * time.Second
)

// Push replaces the metrics of the gateway's group by the current ones. It tries again when the gateway does not
// answer, for ten seconds at most.
func (m *Metrics) Push(ctx context.Context, g *Gateway, client *http.Client) error {
	ctx, cancel := context.WithTimeoutCause(ctx, pushTimeout, fmt.Errorf("no answer within %s", pushTimeout))
	defer cancel()
	var body bytes.Buffer
	err := m.Write(&body)
	if err == nil {
		_, err = backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, g.put(ctx, client, body.Bytes()) },
			backoff.WithMaxTries(pushTries))
	}
	if err != nil {
		return fmt.Errorf("push metrics to %s: %w", g, withoutURL(err))
	}
	return nil
}

// put sends metrics once.
func (g *Gateway) put(ctx context.Context, client *http.Client, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, g.target(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", exposition.ContentType)
	if g.user != "" {
		req.SetBasicAuth(g.user, g.password)
	}
	res, err := withoutRedirects(client).Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // the body was only read
	switch {
	case res.StatusCode >= 300 && res.StatusCode < 400: // a redirect to a login page is not the gateway
		return backoff.Permanent(fmt.Errorf("the address leads elsewhere (status %d, to %s), and nothing was pushed; "+
			"write the address where the gateway is", res.StatusCode, redirectTarget(res)))
	case res.StatusCode != http.StatusOK && res.StatusCode != http.StatusAccepted:
		return fmt.Errorf("status %s%s", strings.TrimSpace(fmt.Sprint(res.StatusCode, " ", http.StatusText(res.StatusCode))),
			g.excerpt(res.Body))
	}
	return nil
}

// withoutRedirects returns a client that follows no redirects: the password and the metrics are for the gateway only.
func withoutRedirects(client *http.Client) *http.Client {
	c := *client
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// redirectTarget returns the target of a redirect, without parts that may be secret.
func redirectTarget(res *http.Response) string {
	to, err := res.Location()
	if err != nil {
		return "nowhere"
	}
	return fmt.Sprintf("%q", to.Scheme+"://"+to.Host)
}

// The limits of an excerpt.
const (
	excerptRunes = 300
	excerptBytes = 4 << 10
)

// excerpt returns the start of an answer, for the end of an error.
func (g *Gateway) excerpt(body io.Reader) string {
	data, err := io.ReadAll(io.LimitReader(body, excerptBytes))
	said := strings.Join(strings.Fields(strings.ToValidUTF8(string(data), "\uFFFD")), " ")
	if g.password != "" {
		said = strings.ReplaceAll(said, g.password, "***")
	}
	if runes := []rune(said); len(runes) > excerptRunes {
		said = string(runes[:excerptRunes]) + "…"
	}
	switch {
	case said != "":
		return fmt.Sprintf(": %q", said)
	case err != nil:
		return ", and the reason broke off"
	}
	return ""
}

// withoutURL returns the cause of an error without its URL; the caller names the address.
func withoutURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}
