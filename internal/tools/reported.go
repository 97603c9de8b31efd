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

// ReportedFailure finds a failure in the result of a tool that another system called and that can report failures in no
// other way: {"isError": true, …}, as MCP and Anthropic write it, or an object with nothing but an error, a "success"
// that is false or the status of a server that failed. It returns the text of the failure, and false when there is
// none. A word of a status is no failure: it may be the state of what the tool was asked about.
func ReportedFailure(result []byte) (text string, failed bool) {
	t := readReported(result)
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

// FailureDoubt explains why a call that counts as successful may have failed: its result has a flag or a reason of a
// failure, or nothing but the word or number of one; "": it has none. A word among other fields is no doubt: it may be
// the state of an order.
func FailureDoubt(result []byte) string {
	t := readReported(result)
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

// reported is what a result says about a failure.
type reported struct {
	mark   failure.Mark
	failed bool // mark is one
	marked bool // as an error, in so many words
	only   bool // it says nothing else
}

func readReported(result []byte) reported {
	var fields jsonvalue.Object
	decoder := json.NewDecoder(bytes.NewReader(result))
	decoder.UseNumber()
	if decoder.Decode(&fields) != nil || len(fields) == 0 {
		return reported{}
	}
	t := reported{only: true}
	for key, v := range fields {
		folded := jsonvalue.FoldKey(key)
		t.marked = t.marked || folded == "iserror" && failure.Indicates(v)
		t.only = t.only && besideError[folded]
	}
	t.mark, t.failed = failure.In(fields)
	return t
}
