package httpagent

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/failure"
	"github.com/arena-evals/arena/internal/jsonquery"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// usual are the usual paths of the text of a reply, in the order in which they are tried.
var usual = []string{"reply", "output", "text", "content", "choices[0].message.content"}

// paths are the paths of a provider; nil is none.
type paths struct {
	reply                                        []*jsonquery.Query // the first that finds something
	calls, usage, finish, failure, session, data *jsonquery.Query
}

func compile(h *scenario.HTTPAgent) (p paths, err error) {
	one := func(into **jsonquery.Query, text string) {
		if text == "" || err != nil {
			return
		}
		*into, err = jsonquery.Compile(text)
	}
	texts := usual
	if h.Reply != "" {
		texts = []string{h.Reply}
	}
	p.reply = make([]*jsonquery.Query, len(texts))
	for i, text := range texts {
		one(&p.reply[i], text)
	}
	one(&p.calls, h.ToolCalls)
	one(&p.usage, h.Usage)
	one(&p.finish, h.Finish)
	one(&p.failure, h.Error)
	if h.SessionFrom == "path" {
		one(&p.session, h.SessionName)
	}
	if h.Stream != nil {
		one(&p.data, h.Stream.Data)
	}
	return p, err
}

// exchange is the words of one call; see wire.Codec.
type exchange struct {
	p    *Provider
	c    *conversation
	body []byte

	responseData
}

// responseData is the data of a response besides its text.
type responseData struct {
	usage    chat.Usage
	usd      *float64
	counted  bool // both input and output tokens are reported
	finish   string
	listed   bool // the calls of tools
	calls    []chat.ToolCall
	results  []chat.ToolResult
	resulted []bool // by call: its result is reported
	argued   []bool // by call: its arguments are reported
	session  bool
	doubts   []string // that the answer may be none
	said     spoken
}

func (x *exchange) Encode(*chat.Request) ([]byte, error) { return x.body, nil }

// Decode reads an answer that is not streamed.
func (x *exchange) Decode(call *wire.Call, data []byte) (chat.Reply, error) {
	doc, err := call.Any(data)
	switch {
	case err != nil && isStream(data):
		return chat.Reply{}, x.misfit(call, data, "the answer is a stream of events, and the file does not say how it is "+
			"read: write additional_config.stream")
	case err != nil:
		return chat.Reply{}, err
	}
	call.Came(0)
	if err := x.take(call, doc, data); err != nil {
		return chat.Reply{}, err
	}
	text, err := x.text(call, doc, data)
	if err != nil {
		return chat.Reply{}, err
	}
	text = x.whole(call, text)
	call.Came(len(text))
	return x.reply(call, text, data)
}

// isStream reports whether an answer begins as events of a server do.
func isStream(data []byte) bool {
	for _, field := range []string{"data:", "event:", "id:", "retry:", ":"} {
		if bytes.HasPrefix(bytes.TrimLeft(data, "\ufeff \r\n"), []byte(field)) {
			return true
		}
	}
	return false
}

// text is the text of a reply.
func (x *exchange) text(call *wire.Call, doc any, data []byte) (string, error) {
	var other string // what stands in a usual place, and is no text
	for _, path := range x.p.paths.reply {
		got, err := path.Run(doc)
		if err != nil && len(x.p.paths.reply) == 1 {
			return "", x.misfit(call, data, "reply: %q: %v", path.Text, err)
		}
		if err != nil || !got.Found || got.Value == nil {
			continue
		}
		v := got.Value
		if list, is := v.([]any); is && got.Many && len(list) == 1 {
			v = list[0]
		}
		text, is := v.(string)
		if !is && x.p.Reply == "" { // what stands in one of the usual places need not be the reply
			other = cmp.Or(other, fmt.Sprintf("; at %s is %s", path.Text, kindOf(v, got.Many)))
			continue
		}
		if !is {
			return "", x.misfit(call, data, "the reply should be a text at %q, and there is %s", path.Text, kindOf(v, got.Many))
		}
		return text, nil
	}
	if x.said.refusal != "" || x.listed && len(x.calls) > 0 { // it refused, or called tools, and said nothing
		return "", nil
	}
	if x.p.Reply == "" {
		return "", x.misfit(call, data, "the answer has a text in none of the usual places (%s%s); write the path to it as "+
			"additional_config.reply", strings.Join(usual, ", "), other)
	}
	return "", x.misfit(call, data, "the answer has nothing at %q (additional_config.reply)", x.p.Reply)
}

// kindOf says what a value is.
func kindOf(v any, many bool) string {
	switch v := v.(type) {
	case []any:
		if many {
			return fmt.Sprintf("%d values", len(v))
		}
		return "a list"
	case jsonvalue.Object:
		return "an object"
	case bool:
		return "true or false"
	case nil:
		return "null"
	case string:
		return "a text"
	}
	return "a number"
}

// misfit is the error of an answer that does not have the form in the file.
func (x *exchange) misfit(call *wire.Call, data []byte, format string, args ...any) error {
	for i, arg := range args {
		if err, is := arg.(error); is {
			args[i] = call.Excerpt(err.Error())
		}
	}
	failed := call.Fail(providers.BadReply, nil, "%s: %s", fmt.Sprintf(format, args...), call.ExcerptOf(data))
	failed.Settled = true
	return failed
}

// reply makes the reply.
func (x *exchange) reply(call *wire.Call, text string, data []byte) (chat.Reply, error) {
	switch {
	case blank(text) && len(x.calls) == 0:
		return chat.Reply{}, x.misfit(call, data, "the reply is empty")
	case blank(text) && x.p.AsksTools:
	case blank(text):
		return chat.Reply{}, x.misfit(call, data, "the agent called tools and said nothing")
	case strings.ContainsRune(text, 0):
		return chat.Reply{}, x.misfit(call, data, "the reply holds a NUL character")
	case chat.BrokeOff(x.finish):
		return chat.Reply{}, x.misfit(call, data, "the endpoint broke the reply off (finish_reason %s)",
			call.Excerpt(x.finish))
	case x.p.SessionFrom != "" && !x.session && x.c.session == nil:
		return chat.Reply{}, x.misfit(call, data, "the answer tells no session (%s %q)", x.p.SessionFrom, x.p.SessionName)
	}
	r := chat.Reply{
		Content: text, FinishReason: x.finish, Usage: x.usage, ToolCalls: x.calls, ToolResults: x.results,
		Refused:    x.said.refusal != "",
		Unreported: []string{chat.UnreportedModelCalls, chat.UnreportedToolCalls},
	}
	if x.p.AsksTools { // arena has a hand in them
		if r.ToolResults = nil; len(x.calls) > 0 && r.FinishReason == "" {
			r.FinishReason = "tool_calls"
		}
	}
	r.Usage.Estimated = !x.counted
	notices := x.doubts
	if x.listed {
		r.Unreported = []string{chat.UnreportedModelCalls}
	} else if path := x.p.paths.calls; path != nil {
		notices = append(notices, fmt.Sprintf("tool_calls: an answer has nothing at %q, so that it is not known which tools "+
			"the agent called", path.Text))
	}
	if path := x.p.paths.finish; path != nil && x.finish == "" {
		notices = append(notices, fmt.Sprintf("finish_reason: an answer has nothing at %q, so that it is not known whether "+
			"the reply was cut", path.Text))
	}
	r.Notice = strings.Join(notices, "; ")
	if slices.Contains(x.argued, false) && !x.p.AsksTools {
		r.Unreported = append(r.Unreported, chat.UnreportedArguments)
	}
	if slices.Contains(x.resulted, false) && !x.p.AsksTools {
		r.Unreported = append(r.Unreported, chat.UnreportedResults, chat.UnreportedOutcomes)
	}
	return r, nil
}

// take reads the data of an answer, or of an event, besides its text.
func (x *exchange) take(call *wire.Call, doc any, data []byte) error {
	paths := &x.p.paths
	if err := x.count(call, doc, data); err != nil {
		return err
	}
	if v, err := x.at(call, paths.failure, "error", doc, data); err != nil {
		return err
	} else if failure.Indicates(v) {
		return x.reported(call, v)
	}
	if err := x.failed(call, doc, data); err != nil {
		return err
	}
	if err := x.remember(call, doc, data); err != nil {
		return err
	}
	if err := x.vendor(call, doc, data); err != nil {
		return err
	}
	v, err := x.at(call, paths.finish, "finish_reason", doc, data)
	if err != nil {
		return err
	}
	switch reason := v.(type) {
	case nil:
	case string:
		if reason != "" {
			x.finish = reason
		}
	default:
		return x.misfit(call, data, "finish_reason should be a text at %q, and there is %s", x.p.Finish, kindOf(v, false))
	}
	return x.list(call, doc, data)
}

// at is the value at a path; nil where there is none.
func (x *exchange) at(call *wire.Call, path *jsonquery.Query, key string, doc any, data []byte) (any, error) {
	if path == nil {
		return nil, nil
	}
	got, err := path.Run(doc)
	if err != nil {
		if _, is := doc.(jsonvalue.Object); !is { // a path into a list or a text that is for objects
			return nil, nil
		}
		return nil, x.misfit(call, data, "%s: %q: %v", key, path.Text, err)
	}
	if list, is := got.Value.([]any); is && got.Many && len(list) == 1 && key != "tool_calls" {
		return list[0], nil
	}
	return got.Value, nil
}

// reported is the error in an answer that reports one.
func (x *exchange) reported(call *wire.Call, v any) error {
	data, err := jsonvalue.Plain(jsonvalue.Object{"error": v})
	if err != nil {
		return err
	}
	return call.Reported(data)
}

// remember takes the session.
func (x *exchange) remember(call *wire.Call, doc any, data []byte) error {
	var v any
	where := x.p.SessionName
	if x.p.SessionFrom == "header" {
		if id := call.Header.Get(where); id != "" {
			v = id
		}
	} else {
		var err error
		if v, err = x.at(call, x.p.paths.session, "session", doc, data); err != nil {
			return err
		}
	}
	if v == nil || v == "" {
		return nil
	}
	if !x.c.remember(v) {
		return x.misfit(call, data, "the session should be a text or a number at %q, and there is %s", where,
			kindOf(v, false))
	}
	x.session = true
	return nil
}
