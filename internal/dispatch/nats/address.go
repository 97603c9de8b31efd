// Package nats takes requests for evals, their results and dead letters through streams of NATS JetStream.
package nats

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// address is one or more servers of a cluster.
type address struct {
	full  string // with what it may hold of names and passwords
	shown string // without
}

var schemes = []string{"nats", "tls", "ws", "wss"}

// CheckURL says what is wrong with the URL of a broker. The error holds no password.
func CheckURL(text string) error {
	_, err := parseAddress(text)
	return err
}

// parseAddress reads URLs with commas between them. A name and a password in the first serve for those that have none.
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

// parseURL never quotes what it cannot read: there may be a password in it.
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
