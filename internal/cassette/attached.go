package cassette

import (
	"context"

	"github.com/arena-evals/arena/internal/chat"
)

// mediaRequest asks for the media at an address.
type mediaRequest struct {
	Type string `json:"type"` // of the part
	MIME string `json:"mime_type,omitempty"`
	URL  string `json:"url"` // without its query: see chat.WithoutQuery
}

// mediaReply holds the media that were fetched.
type mediaReply struct {
	Media *media `json:"media"`
}

// Media records fetch(ctx) for a part of a user's message, or replays it: a replay fetches nothing.
func (l *Lane) Media(
	ctx context.Context, part *chat.Part, fetch func(context.Context) (*chat.Media, error),
) (*chat.Media, error) {
	if l == nil {
		return fetch(ctx)
	}
	rec := l.recorder
	write := func(enc encoder) (any, []tool, error) {
		return &mediaRequest{part.Type, part.Media.MIMEType, string(enc.text(chat.WithoutQuery(part.Media.URL)))}, nil, nil
	}
	send := func() (replyEncoder, float64, error) {
		got, err := fetch(ctx)
		if err != nil {
			return nil, measureTime, err
		}
		return func(enc encoder) (any, error) {
			m, err := enc.mediaOf(got, true)
			return &mediaReply{m}, err
		}, measureTime, nil
	}
	e, err := l.exchange(ctx, &question{kind: kindMedia, encode: write, send: send})
	if err == nil {
		err = e.err()
	}
	if err != nil {
		return nil, err
	}
	r, _ := e.reply.(*mediaReply)
	if r == nil || r.Media == nil {
		return nil, rec.fail(errNoReply)
	}
	got, err := rec.folder.media(r.Media)
	if err != nil {
		return nil, rec.fail(err)
	}
	return got.Offloaded(chat.InlineMedia), nil
}
