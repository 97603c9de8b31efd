package attach

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/dial"
)

const (
	maxRedirects = 10
	maxTime      = 30 * time.Second
)

// Fetched is a download.
type Fetched struct {
	Type string // as the server tells
	Data []byte
}

// Fetcher downloads from public addresses: at most MaxBytes, within 30 seconds and 10 redirects. It uses no proxy,
// because the target of a proxy cannot be checked.
type Fetcher struct {
	Offline bool
	Dialer  dial.Public
	client  *http.Client
	once    sync.Once
}

// Fetch downloads from an address.
func (f *Fetcher) Fetch(ctx context.Context, address string) (*Fetched, error) {
	f.once.Do(f.open)
	ctx, cancel := context.WithTimeoutCause(ctx, maxTime, fmt.Errorf("it did not come within %s", maxTime))
	defer cancel()
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("it is no address")
	}
	if err := dial.PublicURL(u, f.Dialer.Allowed); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return nil, errors.New("it is no address")
	}
	req.Header.Set("User-Agent", "arena")
	got, err := f.get(req)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return got, err
}

func (f *Fetcher) open() {
	open := f.Dialer.Dial
	if f.Offline {
		open = dial.New(true)
	}
	f.client = &http.Client{
		Transport: &http.Transport{
			DialContext: open, TLSHandshakeTimeout: 15 * time.Second, MaxIdleConns: 16, IdleConnTimeout: 10 * time.Second,
			ForceAttemptHTTP2: true, MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return &dial.FinalError{Text: fmt.Sprintf("it redirects more than %d times", maxRedirects)}
			}
			if err := dial.PublicURL(req.URL, f.Dialer.Allowed); err != nil {
				return &dial.FinalError{Text: "it redirects: " + err.Error()}
			}
			return nil
		},
	}
}

// Close drops the idle connections.
func (f *Fetcher) Close() {
	if f.client != nil {
		f.client.CloseIdleConnections()
	}
}

func (f *Fetcher) get(req *http.Request) (*Fetched, error) {
	res, err := f.client.Do(req)
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok { // its text holds the address
			err = wrapped.Err
		}
		return nil, err
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode < 200 || res.StatusCode > 299:
		return nil, fmt.Errorf("the server answers %s", http.StatusText(res.StatusCode)+fmt.Sprintf(" (%d)", res.StatusCode))
	case res.StatusCode == http.StatusPartialContent:
		return nil, errors.New("the server answers with a part of it (206), which nobody asked for")
	case res.ContentLength > MaxBytes:
		return nil, tooLarge(res.ContentLength)
	}
	in := bytes.NewBuffer(make([]byte, 0, max(res.ContentLength, 0)+bytes.MinRead))
	if _, err := in.ReadFrom(io.LimitReader(res.Body, MaxBytes+1)); err != nil {
		return nil, fmt.Errorf("what came broke off: %w", err)
	}
	if in.Len() > MaxBytes {
		return nil, fmt.Errorf("it has more than %d MB, which is the limit", MaxBytes>>20)
	}
	return &Fetched{Type: res.Header.Get("Content-Type"), Data: in.Bytes()}, nil
}
