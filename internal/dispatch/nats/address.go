// Package nats sends and receives requests for evals, their results and dead letters through NATS JetStream.
package nats

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// address is the URLs of one or more servers of a cluster.
type address struct {
	full  string // with user names and passwords
	shown string // without them
}

var schemes = []string{"nats", "tls", "ws", "wss"}

// CheckURL returns the problem of a broker's URL. The error holds no password.
func CheckURL(text string) error {
	_, err := parseAddress(text)
	return err
}

// ShownURL returns the URL of a broker without user names and passwords, and whether it has some. It is "" for what is
// no such URL.
func ShownURL(text string) (shown string, hides bool) {
	at, err := parseAddress(text)
	if err != nil {
		return "", false
	}
	return at.shown, at.shown != at.full
}

// parseAddress parses URLs with commas between them. The user name and password of the first one also apply to URLs
// without any.
func parseAddress(text string) (address, error) {
	var full, shown []string
	var user *url.Userinfo
	for part := range strings.SplitSeq(text, ",") {
		u, err := parseURL(strings.TrimSpace(part))
		if err != nil {
			return address{}, err
		}
		if user == nil {
			user = u.User
		}
		if u.User == nil {
			u.User = user
		}
		full = append(full, u.String())
		u.User = nil
		shown = append(shown, u.String())
	}
	return address{strings.Join(full, ","), strings.Join(shown, ",")}, nil
}

const urlShape = "expected nats://host:port or tls://host:port"

// parseURL parses a URL. Its error never quotes the text, which may hold a password.
func parseURL(text string) (*url.URL, error) {
	if text == "" {
		return nil, errors.New("the URL is empty; " + urlShape)
	}
	scheme, _, found := strings.Cut(text, "://")
	if !found {
		text = "nats://" + text
		scheme = "nats"
	}
	known := false
	for _, s := range schemes {
		known = known || s == scheme
	}
	if !known {
		if strings.ContainsAny(scheme, "@:/") {
			return nil, errors.New("the URL cannot be read; " + urlShape)
		}
		return nil, fmt.Errorf("the URL has the scheme %q; %s", scheme, urlShape)
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "" {
		return nil, errors.New("the URL cannot be read; " + urlShape +
			"\nsigns such as @ : / in a password are written as %40 %3A %2F")
	}
	if u.Port() == "" && !strings.HasPrefix(scheme, "ws") {
		u.Host += ":4222"
	}
	return u, nil
}
