package tools

import (
	"encoding/json"
	"strings"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// besideError are the keys that may stand beside "error" in a result that says nothing but what went wrong, as folded
// by jsonvalue.FoldKey.
var besideError = map[string]bool{
	"error": true, "iserror": true, "code": true, "errorcode": true, "errortype": true, "message": true, "detail": true,
	"details": true, "status": true, "statuscode": true, "type": true, "success": true, "ok": true,
}

// ToldFailure finds the failure in a result that somebody else tells of a call of a tool, whose tools have no other way
// to say so: {"isError": true, …}, as MCP and Anthropic write it, or an object that has an error and nothing else to
// say. It returns the text of the failure, and false where there is none.
func ToldFailure(result []byte) (text string, failed bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(result, &fields) != nil || len(fields) == 0 {
		return "", false
	}
	var failure json.RawMessage
	only := true
	for key, value := range fields {
		switch folded := jsonvalue.FoldKey(key); {
		case folded == "iserror" && says(value):
			failed = true
		case folded == "error" && says(value):
			failure = value
		default:
			only = only && besideError[folded]
		}
	}
	switch {
	case failure != nil && (failed || only):
		return Present(failure), true
	case failed:
		return Present(result), true
	}
	return "", false
}

// says reports whether a value of a flag or of an error says that there is one.
func says(value json.RawMessage) bool {
	switch strings.ToLower(strings.Trim(strings.TrimSpace(string(value)), `"`)) {
	case "", "null", "false", "0", "no", "none", "{}", "[]":
		return false
	}
	return true
}
