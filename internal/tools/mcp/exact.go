package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/arena-evals/arena/internal/ellipsis"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

var contentKey, structuredKey = []byte(`"content"`), []byte(`"structuredContent"`)

// longestBare is the length of a result up to which arena checks whether it has content: results without content are
// short.
const longestBare = 1 << 10

// exact keeps what the library does not: of a structured result the exact digits, where the answer has no other
// content, for it reads numbers as floats; and that a result has no content at all, which it takes for an empty one.
func exact(answer json.RawMessage) json.RawMessage {
	bare := isBare(answer)
	if !bare && !bytes.Contains(answer, structuredKey) {
		return answer
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(answer, &fields) != nil || !bare && fields["structuredContent"] == nil {
		return answer
	}
	meta := map[string]json.RawMessage{}
	if json.Unmarshal(fields["_meta"], &meta) != nil || meta == nil {
		meta = map[string]json.RawMessage{}
	}
	switch {
	case fields["structuredContent"] == nil && fields["content"] != nil && string(fields["content"]) != "null":
		return answer
	case fields["structuredContent"] == nil:
		meta[bareKey] = json.RawMessage("true")
	default:
		text, err := json.Marshal(string(fields["structuredContent"]))
		if err != nil { // cannot happen: a text can be encoded
			return answer
		}
		meta[exactKey] = text
	}
	var err error
	if fields["_meta"], err = json.Marshal(meta); err != nil {
		return answer
	}
	out, err := json.Marshal(fields)
	if err != nil {
		return answer
	}
	return out
}

// isBare reports whether a result, or the message around it, may have no content of any kind, or null.
func isBare(text []byte) bool {
	return len(text) <= longestBare && !bytes.Contains(text, structuredKey) &&
		(!bytes.Contains(text, contentKey) || bytes.Contains(text, []byte("null")))
}

// exactReader reads the body of a reply over HTTP, in which structured results keep their exact digits.
type exactReader struct {
	in    *bufio.Reader
	whole bool // the body is one message, not a stream of events

	line, out []byte
	err       error
}

func newExactReader(in io.Reader, whole bool) *exactReader {
	return &exactReader{in: bufio.NewReader(in), whole: whole}
}

func (e *exactReader) Read(p []byte) (int, error) {
	for len(e.out) == 0 && e.err == nil {
		e.fill()
	}
	if len(e.out) == 0 {
		return 0, e.err
	}
	n := copy(p, e.out)
	e.out = e.out[n:]
	return n, nil
}

// fill reads the next line, or the whole body. Of a line that is too long the library complains.
func (e *exactReader) fill() {
	if e.whole {
		e.out, e.err = io.ReadAll(e.in)
		if e.err == nil {
			e.out, e.err = exactMessage(e.out), io.EOF
		}
		return
	}
	piece, err := e.in.ReadSlice('\n')
	e.line = append(e.line, piece...)
	full := errors.Is(err, bufio.ErrBufferFull)
	if full && len(e.line) < maxMessage {
		return
	}
	if !full {
		e.err = err
	}
	e.out, e.line = e.line, nil
	if data, ok := bytes.CutPrefix(e.out, []byte("data:")); ok && !full && err == nil {
		message := bytes.TrimSpace(data)
		if changed := exactMessage(message); !bytes.Equal(changed, message) {
			e.out = append(append([]byte("data: "), changed...), '\n')
		}
	}
}

// withResult replaces the result null by an error; the library takes null for an empty result.
func withResult(message []byte) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(message, &fields) != nil || string(fields["result"]) != "null" || fields["error"] != nil {
		return message
	}
	delete(fields, "result")
	fields["error"] = json.RawMessage(`{"code":-32603,"message":"its answer has the result null, which is none"}`)
	out, err := json.Marshal(fields)
	if err != nil { // cannot happen: the parts were read
		return message
	}
	return out
}

// keyTwice is the error of an answer with a duplicate key in an object: readers use the first or the last value.
func keyTwice(key string) string {
	return fmt.Sprintf("its answer has the key %q twice in one object", ellipsis.Runes(key, 100))
}

// unambiguous replaces an answer that has a key twice by an error.
func unambiguous(message []byte) []byte {
	key, twice := jsonvalue.KeyTwiceAsWritten(message)
	var fields map[string]json.RawMessage
	if !twice || json.Unmarshal(message, &fields) != nil || fields["method"] != nil || fields["id"] == nil {
		return message
	}
	return failing(fields["id"], keyTwice(key), message)
}

// foreign are keys of a result that the protocol does not have, or not any more, with those that it has, as FoldKey
// writes them. Who reads only the latter takes a failure for a success.
var foreign = map[string]foreignKey{
	"iserror":    {"isError", "the key of the protocol is isError"},
	"toolresult": {"", "since 2024-11-05 results have content"},
	"task":       {"", "it is a task that has only begun, and arena asks for the result"},
}

type foreignKey struct{ right, hint string }

// misnamed is the error of a result with an unknown key; "": none.
func misnamed(result json.RawMessage) (why string) {
	jsonvalue.Members(bytes.TrimSpace(result), func(key, value []byte, _ int) bool {
		if len(key) > len("tool_result") { // as those of most results that are long
			return true
		}
		f, is := foreign[jsonvalue.FoldKey(string(key))]
		if is && string(key) != f.right && string(value) != "false" && string(value) != "null" {
			why = fmt.Sprintf("its answer has the key %q: %s", key, f.hint)
		}
		return why == ""
	})
	return why
}

// native replaces a misnamed result by an error.
func native(message []byte) []byte {
	var id, result json.RawMessage
	jsonvalue.Members(bytes.TrimSpace(message), func(key, value []byte, _ int) bool {
		switch string(key) {
		case "id":
			id = value
		case "result":
			result = value
		}
		return true
	})
	if why := misnamed(result); why != "" {
		return failing(id, why, message)
	}
	return message
}

// failing is the answer that a call failed, in place of message.
func failing(id json.RawMessage, why string, message []byte) []byte {
	out, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": -32603, "message": why},
	})
	if err != nil { // cannot happen: the parts were read
		return message
	}
	return out
}

// exactMessage is a message whose structured result keeps its exact digits. An unusable answer becomes an error.
func exactMessage(message []byte) []byte {
	message = native(unambiguous(answered(message)))
	if small := len(message) < 200; small && bytes.Contains(message, []byte("null")) {
		message = withResult(message)
	}
	if !isBare(message) && !bytes.Contains(message, structuredKey) {
		return message
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(message, &fields) != nil || fields["result"] == nil {
		return message
	}
	fields["result"] = exact(fields["result"])
	out, err := json.Marshal(fields)
	if err != nil { // cannot happen: the parts were read
		return message
	}
	return out
}
