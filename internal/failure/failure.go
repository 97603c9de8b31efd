// Package failure finds out whether an object of another program reports its own failure: the answer of an endpoint, a
// tool call of a program, a span. There is no one way to say it, so all that are in use are looked for.
package failure

import (
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// Mark is a member of an object by which it says that it failed.
type Mark struct {
	Key   string // as it is written
	Value any
	// Reason says that the value is what went wrong, and no mere flag, word or number.
	Reason bool
	// State says that the value is the word for a state.
	State bool
	// Certain says that the member can mean nothing else. A status of "cancelled" may be that of an order.
	Certain bool
}

// In finds the mark of a failure among the members of an object, as package jsonvalue decodes them: one that tells
// the reason before others, one that is certain before one that is not.
func In(o jsonvalue.Object) (found Mark, failed bool) {
	better := func(m Mark) bool {
		return !failed || m.Reason && !found.Reason || m.Reason == found.Reason && m.Certain && !found.Certain
	}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if m, is := mark(key, o[key]); is && better(m) {
			found, failed = m, true
		}
	}
	return found, failed
}

// kind is how a member may say that its object failed.
type kind int

const (
	other   kind = iota // it does not
	counts              // errors, or how many there were of something
	reason              // what went wrong
	flag                // whether it failed
	success             // whether it succeeded
	state               // a word, or a number of HTTP
)

func kindOf(key string) kind {
	switch jsonvalue.FoldKey(key) {
	case "errors":
		return counts
	case "error", "errorstr", "errormessage", "exception":
		return reason
	case "iserror", "haserror", "failed":
		return flag
	case "success", "succeeded", "ok":
		return success
	case "status", "state", "outcome", "statuscode", "httpstatus", "httpstatuscode":
		return state
	}
	return other
}

// Tells reports whether a member with this name may be a mark of a failure.
func Tells(key string) bool { return kindOf(key) != other }

// mark reports whether a member says that its object failed.
func mark(key string, v any) (m Mark, is bool) {
	m = Mark{Key: key, Value: v, Certain: true}
	switch kindOf(key) {
	case counts:
		m.Reason = true
		return m, Indicates(v) && !jsonvalue.IsNumber(v)
	case reason:
		m.Reason = true
		return m, Indicates(v)
	case flag:
		return m, Indicates(v)
	case success:
		return m, v == false || v == "false"
	case state:
		if word, ok := v.(string); ok {
			word = strings.ToLower(strings.TrimSpace(word))
			m.State, m.Certain = true, certain[word]
			return m, m.Certain || unsuccessful[word]
		}
		code, ok := jsonvalue.Float(v)
		return m, ok && code >= 400 && code < 600
	case other:
	}
	return m, false
}

// certain are the states that say nothing but that something failed. unsuccessful are those that may also be the state
// of what is talked about.
var (
	certain = map[string]bool{
		"error": true, "errored": true, "failed": true, "failure": true, "fail": true, "exception": true,
	}
	unsuccessful = map[string]bool{
		"denied": true, "rejected": true, "cancelled": true, "canceled": true, "timeout": true, "timed_out": true,
		"aborted": true, "incomplete": true,
	}
)

// Indicates reports whether the value of a flag or an error means a failure.
func Indicates(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "", "null", "false", "0", "no", "none":
			return false
		}
		return true
	case []any:
		return len(v) > 0
	case jsonvalue.Object:
		return len(v) > 0
	}
	n, is := jsonvalue.Float(v)
	return !is || n != 0
}
