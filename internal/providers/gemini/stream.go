package gemini

import (
	"encoding/json"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers/wire"
)

// stream is a reply as far as its events have come in; see wire.Decoder. Each event is a whole document. There is none
// for the end of the stream: the reply is whole when the model said why it stopped.
type stream struct{ gathered }

// Event takes one event.
func (s *stream) Event(e wire.Event) (last bool, err error) {
	if e.Data[0] == '[' { // an error, mostly
		var list []json.RawMessage
		if err := s.Chunk(&e, &list); err != nil {
			return false, err
		}
		for _, raw := range list {
			if err := s.document(&wire.Event{Name: e.Name, Data: raw}); err != nil {
				return false, err
			}
		}
		return false, nil
	}
	return false, s.document(&e)
}

func (s *stream) document(e *wire.Event) error {
	var d document
	if err := s.Chunk(e, &d); err != nil {
		return err
	}
	return s.take(&d, e.Data, true)
}

// Reply is the reply, when its end came.
func (s *stream) Reply() (chat.Reply, error) { return s.reply() }
