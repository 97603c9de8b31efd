package wire

import "github.com/arena-evals/arena/internal/chat"

// Codec is the words of one API. It is safe for concurrent use.
type Codec interface {
	// Encode writes a request.
	Encode(req *chat.Request) ([]byte, error)
	// Decode reads a reply that came in one piece. Complete fills in what it took, and an estimate of its tokens where
	// the server does not count them.
	Decode(c *Call, data []byte) (chat.Reply, error)
	// Stream begins to read a reply that comes in events.
	Stream(c *Call) Decoder
}

// Taker is a Codec of an API that does not take every part of a message.
type Taker interface {
	// Takes says why the API cannot be sent a part that is a medium; nil: it can. What its type is may not be known yet,
	// of one that is fetched later.
	Takes(part *chat.Part) error
}

// Decoder puts a reply together from the events of its stream.
type Decoder interface {
	// Event takes the next event, whose data is not empty. It gives text to Call.Say, and reports whatever else the event
	// brings of the reply to Call.Progress, and its end to Call.Finished. last says that no more events are wanted.
	Event(e Event) (last bool, err error)
	// Reply is the whole reply, after the last event. It counts only when the model said that it has finished: anything
	// shorter is an error, never a short reply.
	Reply() (chat.Reply, error)
}
