package platform

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers/wire"
)

// frames reads a stream of Amazon's frames, each with one event of the vendor.
type frames struct {
	r       *bufio.Reader
	decoder *eventstream.Decoder
	payload []byte
}

func newFrames(r io.Reader) wire.Events {
	return &frames{r: bufio.NewReader(r), decoder: eventstream.NewDecoder()}
}

// Next is the event of the next frame.
func (f *frames) Next() (wire.Event, error) {
	if _, err := f.r.Peek(1); err != nil {
		return wire.Event{}, err
	}
	m, err := f.decoder.Decode(f.r, f.payload[:0])
	switch {
	case errors.Is(err, io.EOF):
		return wire.Event{}, io.ErrUnexpectedEOF
	case err != nil:
		return wire.Event{}, fmt.Errorf("a damaged frame: %w", err)
	}
	f.payload = m.Payload
	if kind := header(m, ":message-type"); kind != "event" && kind != "" {
		return failed(m), nil
	}
	var chunk struct {
		Bytes *[]byte `json:"bytes"`
	}
	if err := json.Unmarshal(m.Payload, &chunk); err != nil || chunk.Bytes == nil {
		// Some servers put the event itself there. What else it may be, the reader of events says.
		return wire.Event{Data: m.Payload}, nil
	}
	return wire.Event{Data: *chunk.Bytes}, nil
}

// Rest adds nothing: an event is in one frame.
func (f *frames) Rest(*wire.Event) error { return nil }

func header(m eventstream.Message, name string) string {
	v := m.Headers.Get(name)
	if v == nil {
		return ""
	}
	return v.String()
}

// exceptions maps exceptions to error names that other clients know.
var exceptions = map[string]string{
	"throttlingException": "rate_limit_error", "serviceQuotaExceededException": "rate_limit_error",
	"validationException": "invalid_request_error", "resourceNotFoundException": "not_found_error",
	"accessDeniedException": "permission_error", "modelTimeoutException": "timeout_error",
	"internalServerException": "api_error", "serviceUnavailableException": "overloaded_error",
	"modelStreamErrorException": "api_error", "modelNotReadyException": "overloaded_error",
}

// failed converts an exception frame to an error event.
func failed(m eventstream.Message) wire.Event {
	name := header(m, ":exception-type")
	if name == "" {
		name = header(m, ":error-code")
	}
	var report struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(m.Payload, &report) // without words the name tells
	if report.Message == "" {
		report.Message = header(m, ":error-message")
	}
	if report.Message == "" {
		report.Message = name
	}
	kind := exceptions[name]
	if kind == "" {
		kind = name
	}
	data, err := json.Marshal(jsonvalue.Object{
		"type": "error", "error": map[string]string{"type": kind, "message": report.Message},
	})
	if err != nil {
		data = []byte(`{"type":"error","error":{"message":"the stream failed"}}`)
	}
	return wire.Event{Name: "error", Data: data}
}
