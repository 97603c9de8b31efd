package mcp

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/arena-evals/arena/internal/process"
)

// misanswered says why a message is not a valid answer to a request: it is not JSON-RPC 2.0, its id is a text instead
// of the sent number, or its result has a wrong form. id is that of the request. why is "" for other messages.
func misanswered(message []byte) (id json.RawMessage, why string) {
	var m struct {
		JSONRPC json.RawMessage `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  json.RawMessage `json:"method"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	if json.Unmarshal(message, &m) != nil || m.Method != nil || m.ID == nil || m.Result == nil && m.Error == nil {
		return nil, ""
	}
	id = m.ID
	var text string
	if json.Unmarshal(m.ID, &text) == nil {
		if _, err := strconv.ParseInt(text, 10, 64); err == nil { // requests have numbers as ids
			id, why = json.RawMessage(text), "its answer has the id "+string(m.ID)+", a text, in place of the number "+text
		}
	}
	switch result := bytes.TrimSpace(m.Result); {
	case string(m.JSONRPC) != `"2.0"`:
		why = `its answer has no "jsonrpc": "2.0"`
	case why == "" && m.Error == nil && string(result) != "null" && !bytes.HasPrefix(result, []byte("{")):
		why = "its answer has the result " + process.Excerpt(result) + ", which is no object"
	}
	return id, why
}

// answered replaces a message that is misanswered by an error.
func answered(message []byte) []byte {
	if id, why := misanswered(message); why != "" {
		return failing(id, why, message)
	}
	return message
}
