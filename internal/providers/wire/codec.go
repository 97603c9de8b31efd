package wire

import "github.com/arena-evals/arena/internal/chat"

// Codec encodes the requests and decodes the replies of one API. It is safe for concurrent use.
type Codec interface {
	// Encode writes a request.
	Encode(req *chat.Request) ([]byte, error)
	// Decode decodes a reply that is not streamed. Complete sets its latency, and estimates its tokens if the server does
	// not count them.
	Decode(c *Call, data []byte) (chat.Reply, error)
	// Stream starts a Decoder for a streamed reply.
	Stream(c *Call) Decoder
}

// Taker is a Codec of an API that does not support every part of a message.
type Taker interface {
	// Takes returns an error if the API does not support a part with a medium. The type of a medium that is fetched later
	// may not be known yet.
	Takes(part *chat.Part) error
}

// Decoder builds a reply from the events of its stream.
type Decoder interface {
	// Event handles the next event, whose data is not empty. It passes text to Call.EmitText, and calls Call.Progress for
	// any other part of the reply and Call.Finished for its end. last says that no more events are needed.
	Event(e Event) (last bool, err error)
	// Reply returns the whole reply after the last event. A reply whose end was not received is an error, never a short
	// reply.
	Reply() (chat.Reply, error)
}
