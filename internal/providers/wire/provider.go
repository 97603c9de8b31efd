package wire

import (
	"context"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
)

// Provider is a model behind an API: the client that makes the calls, and the codec of the API.
type Provider struct {
	client *Client
	codec  Codec
}

// NewProvider makes a provider of a client. It does not touch the network.
func NewProvider(client *Client, codec Codec) *Provider { return &Provider{client, codec} }

// Complete makes one call. See providers.Provider.
func (p *Provider) Complete(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	return p.client.Complete(ctx, p.codec, req, onDelta)
}

// Takes returns an error if the API does not support a part; see providers.Takes.
func (p *Provider) Takes(part *chat.Part) error {
	if t, ok := p.codec.(Taker); ok {
		return t.Takes(part)
	}
	return nil
}

// Close drops the idle connections.
func (p *Provider) Close() error { return p.client.Close() }

// Address is the address of the calls.
func (p *Provider) Address() string { return p.client.Address() }

var _ providers.Provider = (*Provider)(nil)
