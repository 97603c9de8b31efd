package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
)

// maxName is the maximum length of a tool name that every API accepts.
const maxName = 64

// names maps names of tools that were changed for the API to their own names.
type names map[string]string // by the name that is sent

// plainNames returns a request in which every tool has a name that the APIs accept, and the map to restore the names in
// the reply; nil if no name was changed, as in most requests.
func plainNames(req *chat.Request) (*chat.Request, names) {
	if isPlainRequest(req) {
		return req, nil
	}
	known := names{}
	for i := range req.Tools {
		if name := req.Tools[i].Name; isPlain(name) {
			known[name] = name
		}
	}
	out := *req
	out.Tools = slices.Clone(req.Tools)
	for i := range out.Tools {
		out.Tools[i].Name = known.sent(out.Tools[i].Name)
	}
	switch out.ToolChoice {
	case "", "auto", "required", "none":
	default:
		out.ToolChoice = known.sent(out.ToolChoice)
	}
	out.Messages = slices.Clone(req.Messages)
	for i := range out.Messages {
		m := &out.Messages[i]
		m.ToolCalls = slices.Clone(m.ToolCalls)
		for k := range m.ToolCalls {
			m.ToolCalls[k].Name = known.sent(m.ToolCalls[k].Name)
		}
		if r := m.ToolResult; r != nil && !isPlain(r.Name) {
			renamed := *r
			renamed.Name = known.sent(r.Name)
			m.ToolResult = &renamed
		}
	}
	return &out, known
}

func isPlainRequest(req *chat.Request) bool {
	for i := range req.Tools {
		if !isPlain(req.Tools[i].Name) {
			return false
		}
	}
	for i := range req.Messages {
		m := &req.Messages[i]
		if r := m.ToolResult; r != nil && !isPlain(r.Name) ||
			slices.ContainsFunc(m.ToolCalls, func(c chat.ToolCall) bool { return !isPlain(c.Name) }) {
			return false
		}
	}
	return true
}

// sent returns the name of a tool on the wire: its own if possible, else a similar unused one.
func (n names) sent(name string) string {
	if isPlain(name) {
		return name
	}
	legal := []byte(name)
	for i, c := range legal {
		if !isPlainByte(c) {
			legal[i] = '_'
		}
	}
	out := string(legal)
	if owner, taken := n[out]; len(out) > maxName || taken && owner != name {
		sum := sha256.Sum256([]byte(name))
		out = out[:min(len(out), 55)] + "_" + hex.EncodeToString(sum[:4])
	}
	n[out] = name
	return out
}

// restore replaces the tool names in the calls of a reply by the original ones.
func (n names) restore(calls []chat.ToolCall) {
	for i := range calls {
		if name, renamed := n[calls[i].Name]; renamed {
			calls[i].Name = name
		}
	}
}

// isPlain reports whether every API accepts a name. An empty name is left to the API.
func isPlain(name string) bool {
	if len(name) > maxName {
		return false
	}
	for i := range len(name) {
		if !isPlainByte(name[i]) {
			return false
		}
	}
	return true
}

func isPlainByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}
