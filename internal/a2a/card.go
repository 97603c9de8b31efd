package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/say"
)

// Card is the card with which an agent describes itself.
type Card struct {
	Name       string      `json:"name"`
	Version    string      `json:"protocolVersion"`
	URL        string      `json:"url"`
	Transport  string      `json:"preferredTransport"` // of URL; "" is JSON-RPC
	Additional []Interface `json:"additionalInterfaces"`
	Supported  []Interface `json:"supportedInterfaces"` // from protocol version 1.0 on
	InputModes []string    `json:"defaultInputModes"`
	Skills     []Skill     `json:"skills"`

	path string // path of the card below the agent's address
}

// Interface is an address of an agent with its protocol.
type Interface struct {
	URL       string `json:"url"`
	Transport string `json:"transport"`
	Binding   string `json:"protocolBinding"` // replaces Transport from 1.0 on
	Version   string `json:"protocolVersion"`
}

// Skill is something that an agent can do.
type Skill struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	InputModes  []string `json:"inputModes"` // content types; empty: those of the card
}

// cardPaths are the paths of cards, the newer one first.
var cardPaths = [...]string{"/.well-known/agent-card.json", "/.well-known/agent.json"}

// Card reads the card of the agent. It returns nil without an error when there is none. Errors do not name the agent,
// unless Do does.
func (c *Client) Card(ctx context.Context) (*Card, error) {
	for _, path := range cardPaths {
		res, err := c.Do(ctx, &Request{Method: http.MethodGet, URL: c.Base + path, Repeatable: true})
		switch {
		case err != nil:
			return nil, err
		case res.Status == http.StatusNotFound, res.Status == http.StatusMethodNotAllowed, res.Status == http.StatusGone:
			continue
		case res.Status != http.StatusOK:
			return nil, fmt.Errorf("its agent card: %w", c.refused(res))
		}
		body := chat.WithoutBOM(res.Body)
		if !json.Valid(body) {
			return nil, errors.New("its agent card is not JSON" + c.Excerpt(string(body)))
		}
		card := &Card{path: path}
		if err := json.Unmarshal(body, card); err != nil {
			return nil, errors.New("its agent card is not an agent card" + c.Excerpt(err.Error()))
		}
		if key, twice := jsonvalue.KeyTwiceOutside(body, freeForm); twice {
			return nil, fmt.Errorf("its agent card has the key %q twice in one object, and it is not known which one holds", key)
		}
		return card, nil
	}
	return nil, nil
}

// Endpoint is the address and the protocol version of an agent.
type Endpoint struct {
	URL   string
	Newer bool // speaks protocol version 1.0 rather than 0.3
}

// Usual returns the endpoint of an agent whose card names none.
func (c *Client) Usual() Endpoint { return Endpoint{URL: c.Base + "/a2a"} }

const jsonRPC = "JSONRPC"

// Endpoint returns the JSON-RPC endpoint that the card names; none when it names none. It refuses another host when the
// requests hold secrets, a private address for a public agent, and an address without TLS for an agent that had TLS.
// Errors do not name the agent.
func (c *Client) Endpoint(card *Card) (at Endpoint, found bool, err error) {
	one, found := card.jsonRPC()
	if !found {
		return Endpoint{}, false, nil
	}
	home, err := url.Parse(c.Base + card.path)
	if err != nil {
		return Endpoint{}, true, errors.New("it is not an address that can be called")
	}
	written, err := url.Parse(strings.TrimSpace(one.URL))
	if err != nil || written.User != nil {
		return Endpoint{}, true, errors.New("its agent card names an endpoint that cannot be called" + c.Excerpt(one.URL))
	}
	there := home.ResolveReference(written)
	if there.Scheme != "http" && there.Scheme != "https" || there.Hostname() == "" {
		return Endpoint{}, true, errors.New("its agent card names an endpoint that cannot be called" + c.Excerpt(one.URL))
	}
	if !sameHost(home, there) {
		elsewhere := "its agent card names an endpoint at another host, " + say.Named(there.Host) + ", "
		switch {
		case c.Secret != "":
			return Endpoint{}, true, errors.New(elsewhere + "to which " + c.Secret + " does not go")
		case home.Scheme == "https" && there.Scheme != "https":
			return Endpoint{}, true, errors.New(elsewhere + "which is not reached over TLS")
		case private(there.Hostname()) && !private(home.Hostname()):
			return Endpoint{}, true, errors.New(elsewhere + "which is a private address")
		}
	}
	if sameHost(home, there) {
		there.User = home.User
	}
	return Endpoint{URL: there.String(), Newer: newer(one.Version)}, true, nil
}

// jsonRPC returns the JSON-RPC interface of a card.
func (card *Card) jsonRPC() (Interface, bool) {
	if card.URL != "" && (card.Transport == "" || strings.EqualFold(card.Transport, jsonRPC)) {
		return Interface{URL: card.URL, Version: card.Version}, true
	}
	for _, list := range [][]Interface{card.Additional, card.Supported} {
		for _, one := range list {
			if one.URL != "" && (strings.EqualFold(one.Transport, jsonRPC) || strings.EqualFold(one.Binding, jsonRPC)) {
				if one.Version == "" {
					one.Version = card.Version
				}
				return one, true
			}
		}
	}
	return Interface{}, false
}

// newer reports whether a version of the protocol is 1.0 or later.
func newer(version string) bool {
	major, _, _ := strings.Cut(strings.TrimSpace(version), ".")
	return major != "" && major != "0"
}

// sameHost reports whether two addresses have the same host. All names of this machine are one host.
func sameHost(from, to *url.URL) bool {
	if dial.SameHost(from, to) {
		return true
	}
	return loopback(from.Hostname()) && loopback(to.Hostname()) && from.Scheme == to.Scheme && from.Port() == to.Port()
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// private reports whether the public cannot reach a host.
func private(host string) bool {
	ip := net.ParseIP(host)
	return loopback(host) || strings.HasSuffix(strings.ToLower(host), ".internal") ||
		ip != nil && (ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified())
}
