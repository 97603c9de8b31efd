package httpagent

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/tools"
)

// list takes the calls of tools that the endpoint tells of. A call that comes again with its result is the same one.
func (x *exchange) list(call *wire.Call, doc any, data []byte) error {
	path := x.p.paths.calls
	if path == nil {
		return nil
	}
	got, err := path.Run(doc)
	if err != nil {
		return x.misfit(call, data, "tool_calls: %q: %v", path.Text, err)
	}
	if !got.Found || got.Value == nil {
		return nil
	}
	items, is := got.Value.([]any)
	if !is {
		return x.misfit(call, data, "tool_calls should be a list at %q, and there is %s", path.Text, kindOf(got.Value, false))
	}
	if got.Many && len(items) == 0 { // a pattern that matches nothing does not say that there was nothing
		return nil
	}
	x.listed = true
	for _, item := range items {
		if err := x.called(call, item, data); err != nil {
			return err
		}
	}
	return nil
}

// toolNames are the names under which endpoints tell which tool was called.
var toolNames = []string{"name", "tool", "tool_name"}

// argsNames are the names under which endpoints tell the arguments of a call.
var argsNames = []string{"args", "arguments", "input", "parameters"}

// called takes one call.
func (x *exchange) called(call *wire.Call, item any, data []byte) error {
	fields, is := item.(jsonvalue.Object)
	if !is {
		return x.misfit(call, data, "a call of a tool should be an object, and is %s", kindOf(item, false))
	}
	if inner, is := fields["function"].(jsonvalue.Object); is { // as chat completions write it
		fields = merged(fields, inner)
	}
	for _, names := range [][]string{toolNames, argsNames} {
		if one, two := contradiction(fields, names); two != "" {
			return x.misfit(call, data, "a call of a tool is told in two ways, as %s and as %s", one, two)
		}
	}
	made := chat.ToolCall{}
	made.Name, _ = first(fields, toolNames...).(string)
	if blank(made.Name) {
		return x.misfit(call, data, "a call of a tool has no name")
	}
	switch args := first(fields, argsNames...).(type) {
	case nil:
		made.SetArgs("")
	case string:
		made.SetArgs(args)
	case jsonvalue.Object:
		made.SetArgs(jsonvalue.Compact(args))
	default:
		return x.misfit(call, data, "the arguments of %s should be an object, and are %s", call.Excerpt(made.Name),
			kindOf(args, false))
	}
	switch id := first(fields, "id", "call_id", "tool_call_id").(type) {
	case nil:
	case string:
		made.ID = id
	default: // a number
		made.ID = shown(call, id)
	}
	at := -1
	for i := range x.calls {
		if made.ID != "" && x.calls[i].ID == made.ID {
			at = i
		}
	}
	if made.ID == "" {
		made.ID = fmt.Sprintf("call-%d", len(x.calls)+1)
	}
	result, resulted := resultOf(made, fields)
	if resulted && x.p.AsksTools {
		return x.misfit(call, data, "a call of %s has its result, and tools: arena has arena run it", call.Excerpt(made.Name))
	}
	if at >= 0 {
		if x.calls[at].Name != made.Name {
			return x.misfit(call, data, "two calls of tools have the id %s", call.Excerpt(made.ID))
		}
		if resulted {
			x.results[at], x.resulted[at] = result, true
		}
		return nil
	}
	x.calls, x.results = append(x.calls, made), append(x.results, result)
	x.resulted = append(x.resulted, resulted)
	x.argless = x.argless || made.BadArgs != "" || first(fields, argsNames...) == nil
	return nil
}

// resultOf is what came of a call; told is false where the endpoint does not say.
func resultOf(made chat.ToolCall, fields jsonvalue.Object) (res chat.ToolResult, told bool) {
	if failure := fields["error"]; !nothing(failure) {
		return tools.Failure(made, chat.ErrorExecution, presented(failure)), true
	}
	res = chat.ToolResult{ID: made.ID, Name: made.Name}
	result, told := fields["result"]
	if !told {
		result, told = fields["output"]
	}
	if result != nil {
		res.Content = presented(result)
	}
	if text, failed := failureOf(fields, result); failed {
		text = cmp.Or(text, res.Content, "it failed, and the endpoint does not say why")
		return tools.Failure(made, chat.ErrorExecution, text), true
	}
	return res, told
}

// failureOf looks for a failure that is told beside the result of a call, or in it. The text may be empty.
func failureOf(fields jsonvalue.Object, result any) (text string, failed bool) {
	for name, v := range fields {
		switch jsonvalue.FoldKey(name) {
		case "iserror", "failed":
			failed = failed || !nothing(v) && v != "false"
		case "success", "ok":
			failed = failed || v == false || v == "false"
		case "status", "state":
			word, _ := v.(string)
			failed = failed || failedWords[strings.ToLower(word)]
		}
	}
	if data, err := jsonvalue.Plain(result); err == nil {
		if text, told := tools.ToldFailure(data); told {
			return text, true
		}
	}
	return "", failed
}

// failedWords are those by which the status of a call says that it failed.
var failedWords = map[string]bool{
	"error": true, "errored": true, "failed": true, "failure": true, "fail": true, "denied": true, "rejected": true,
	"cancelled": true, "canceled": true, "timeout": true, "timed_out": true, "aborted": true, "incomplete": true,
}

func presented(v any) string {
	data, err := jsonvalue.Plain(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return tools.Present(data)
}

// first is the first of some fields that is there.
func first(fields jsonvalue.Object, names ...string) any {
	for _, name := range names {
		if v := fields[name]; v != nil {
			return v
		}
	}
	return nil
}

// contradiction is two fields of one meaning with different values; two is "" when there are none.
func contradiction(fields jsonvalue.Object, names []string) (one, two string) {
	for _, name := range names {
		switch v := fields[name]; {
		case v == nil:
		case one == "":
			one = name
		case jsonvalue.Compact(v) != jsonvalue.Compact(fields[one]):
			return one, name
		}
	}
	return one, ""
}

func merged(outer, inner jsonvalue.Object) jsonvalue.Object {
	out := make(jsonvalue.Object, len(outer)+len(inner))
	maps.Copy(out, outer)
	maps.Copy(out, inner)
	return out
}
