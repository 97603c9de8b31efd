package tools

import (
	"bytes"
	"encoding/json"

	"github.com/arena-evals/arena/internal/failure"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// besideError are the keys that may stand beside "error" in a result that says nothing but what went wrong, as folded
// by jsonvalue.FoldKey.
var besideError = map[string]bool{
	"error": true, "errors": true, "errormessage": true, "exception": true, "iserror": true, "code": true,
	"errorcode": true, "errortype": true, "message": true, "detail": true, "details": true, "status": true,
	"statuscode": true, "type": true, "success": true, "ok": true,
}

// ToldFailure finds the failure in a result that somebody else tells of a call of a tool, whose tools have no other way
// to say so: {"isError": true, …}, as MCP and Anthropic write it, or an object that has an error, a refused "success"
// or the status of a server that failed, and nothing else to say. It returns the text of the failure, and false where
// there is none. A word of a status is none: it may be that of what was asked for.
func ToldFailure(result []byte) (text string, failed bool) {
	var fields jsonvalue.Object
	decoder := json.NewDecoder(bytes.NewReader(result))
	decoder.UseNumber()
	if decoder.Decode(&fields) != nil || len(fields) == 0 {
		return "", false
	}
	marked, only := false, true // as an error; it says nothing else
	for key, v := range fields {
		folded := jsonvalue.FoldKey(key)
		marked = marked || folded == "iserror" && failure.Says(v)
		only = only && besideError[folded]
	}
	mark, failed := failure.In(fields)
	switch {
	case !failed || !marked && (!only || mark.State):
		return "", false
	case mark.Reason:
		if data, err := jsonvalue.Plain(mark.Value); err == nil {
			return Present(data), true
		}
	}
	return Present(result), true
}
