package tools

import (
	"bytes"
	"encoding/json"

	"github.com/arena-evals/arena/internal/failure"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/say"
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
	t := readTold(result)
	switch {
	case !t.failed || !t.marked && (!t.only || t.mark.State):
		return "", false
	case t.mark.Reason:
		if data, err := jsonvalue.Plain(t.mark.Value); err == nil {
			return Present(data), true
		}
	}
	return Present(result), true
}

// ToldDoubt is why a result that counts as one of a call that worked may be that of one that failed: it has a flag or a
// reason of a failure, or the word or number of one and nothing else to say; "": it has none. A word among other things
// is that of what was asked for: the state of an order.
func ToldDoubt(result []byte) string {
	t := readTold(result)
	_, list := t.mark.Value.([]any)
	ofAnother := t.mark.State || jsonvalue.IsNumber(t.mark.Value) || list && !t.mark.Reason
	if !t.failed || !t.mark.Certain || ofAnother && !t.only {
		return ""
	}
	says := say.Quote(t.mark.Key)
	if !t.mark.Reason { // which may be long, and what nobody else is to see
		says += ": " + say.Shown(t.mark.Value)
	}
	return "its result says of itself that it failed (" + says + "), and counts as one that worked"
}

// told is what a result says of a failure.
type told struct {
	mark   failure.Mark
	failed bool // mark is one
	marked bool // as an error, in so many words
	only   bool // it says nothing else
}

func readTold(result []byte) told {
	var fields jsonvalue.Object
	decoder := json.NewDecoder(bytes.NewReader(result))
	decoder.UseNumber()
	if decoder.Decode(&fields) != nil || len(fields) == 0 {
		return told{}
	}
	t := told{only: true}
	for key, v := range fields {
		folded := jsonvalue.FoldKey(key)
		t.marked = t.marked || folded == "iserror" && failure.Says(v)
		t.only = t.only && besideError[folded]
	}
	t.mark, t.failed = failure.In(fields)
	return t
}
