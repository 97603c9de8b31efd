package wire

import (
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/arena-evals/arena/internal/attach"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/providers"
)

// maxMoves is the maximum number of redirects.
const maxMoves = 10

// Download reads a generated medium from an address. At the server of the call it sends the call's credentials,
// elsewhere none. It repeats attempts that failed temporarily. Its error is final, because another call would generate,
// and charge for, the medium again.
func (c *Call) Download(address string) (got *attach.Fetched, err error) {
	err = c.insist(func() (err error) {
		got, err = c.download(address)
		return err
	})
	return got, err
}

func (c *Call) download(address string) (*attach.Fetched, error) {
	u, err := url.Parse(address)
	home, known := url.Parse(c.endpoint.URL)
	if err != nil || known != nil {
		return nil, c.nowhere(errors.New("it is no address"))
	}
	for range maxMoves {
		if u.User != nil || !dial.SameHost(home, u) {
			return c.fetchPublic(u)
		}
		got, to, err := c.fetchOwn(u)
		if to == "" || err != nil {
			return got, err
		}
		if u, err = u.Parse(to); err != nil {
			return nil, c.nowhere(errors.New("it redirects to what is no address"))
		}
	}
	return nil, c.nowhere(errors.New("it redirects again and again"))
}

// nowhere is the error of an unusable address.
func (c *Call) nowhere(err error) error {
	failed := c.Fail(providers.BadReply, err,
		"what the model made cannot be fetched from where the server says that it is: %s", c.Excerpt(err.Error()))
	failed.Final = true
	return failed
}

// fetchPublic reads from the address of another server.
func (c *Call) fetchPublic(u *url.URL) (*attach.Fetched, error) {
	if err := dial.PublicURL(u, nil); err != nil {
		return nil, c.nowhere(err)
	}
	f := attach.Fetcher{Offline: c.offline}
	defer f.Close()
	got, err := f.Fetch(c.watch.ctx, u.String())
	switch {
	case err == nil || c.watch.cause() != nil:
		return got, err
	case dial.Final(err):
		return nil, c.nowhere(err)
	}
	return nil, c.Fail(providers.Transport, err, "what the model made cannot be fetched from %s: %s", c.Excerpt(u.Host),
		c.Excerpt(err.Error()))
}

// fetchOwn reads from the server of the call. to is the target of a redirect; "": none.
func (c *Call) fetchOwn(u *url.URL) (got *attach.Fetched, to string, err error) {
	call := c.elsewhere(http.MethodGet, u.String()).begin(c.watch.ctx, &chat.Request{}, nil)
	defer call.watch.stop()
	if got, to, err = call.bytes(); err != nil {
		return nil, "", call.failure(c.watch.ctx, err)
	}
	return got, to, nil
}

func (c *Call) bytes() (got *attach.Fetched, to string, err error) {
	resp, err := c.send(BodyOf(nil)) //nolint:bodyclose // release closes it
	if err != nil {
		return nil, "", err
	}
	defer c.release(resp.Body)
	c.Header = resp.Header
	to = resp.Header.Get("Location")
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400 && to != "":
		return nil, to, nil
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return nil, "", c.refusal(resp)
	}
	data, err := io.ReadAll(http.MaxBytesReader(nil, resp.Body, attach.MaxBytes))
	return &attach.Fetched{Type: resp.Header.Get("Content-Type"), Data: data}, "", err
}
