package httpagent

import (
	"fmt"
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/tools"
)

// list reads the list of tool calls in an answer. A call that is repeated with its result is the same call.
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
	reported := map[toldCall]bool{}
	for _, item := range items {
		if err := x.called(call, item, reported, data); err != nil {
			return err
		}
	}
	return nil
}

// toldCall is a call that a list tells of: once as it is made, and once more, or at the same time, with its result.
type toldCall struct {
	id       string
	resulted bool
}

// toolNames are the usual names of the field with a tool's name.
var toolNames = []string{"name", "tool", "tool_name"}

// argsNames are the usual names of the field with a call's arguments.
var argsNames = []string{"args", "arguments", "input", "parameters"}

// called takes one call, which told has if the list has told of it before.
func (x *exchange) called(call *wire.Call, item any, reported map[toldCall]bool, data []byte) error {
	fields, is := item.(jsonvalue.Object)
	if !is {
		return x.misfit(call, data, "a call of a tool should be an object, and is %s", kindOf(item, false))
	}
	if inner, is := fields["function"].(jsonvalue.Object); is { // as chat completions write it
		fields = merged(fields, inner)
	}
	made, argued, err := x.made(call, fields, data)
	if err != nil {
		return err
	}
	at := -1
	if made.ID != "" {
		at = slices.IndexFunc(x.calls, func(c chat.ToolCall) bool { return c.ID == made.ID })
	} else {
		made.ID = fmt.Sprintf("call-%d", len(x.calls)+1)
	}
	result, resulted := resultOf(made, fields)
	if resulted && x.p.AsksTools {
		return x.misfit(call, data, "a call of %s has its result, and tools: arena has arena run it", call.Excerpt(made.Name))
	}
	as := toldCall{made.ID, resulted}
	if reported[as] || at >= 0 && x.calls[at].Name != made.Name {
		return x.misfit(call, data, "two calls of tools have the id %s", call.Excerpt(made.ID))
	}
	reported[as] = true
	if at < 0 {
		x.calls, x.results = append(x.calls, made), append(x.results, result)
		x.resulted, x.argued = append(x.resulted, resulted), append(x.argued, argued)
		return nil
	}
	if resulted {
		x.results[at], x.resulted[at] = result, true
	}
	return x.argue(call, at, made, argued, data)
}

// argue takes the arguments of a call that is told of again: those that it did not have before.
func (x *exchange) argue(call *wire.Call, at int, made chat.ToolCall, argued bool, data []byte) error {
	before := &x.calls[at]
	switch {
	case made.BadArgs == "" && len(made.Args) == 0,
		before.BadArgs == made.BadArgs && jsonvalue.Equal(before.Args, made.Args):
		return nil
	case before.BadArgs != "" || len(before.Args) > 0:
		return x.misfit(call, data, "the call of a tool with the id %s is told twice, with other arguments",
			call.Excerpt(made.ID))
	}
	before.Args, before.BadArgs, x.argued[at] = made.Args, made.BadArgs, argued
	return nil
}

// made returns a call, and whether its arguments are reported. Its id is empty if it has none.
func (x *exchange) made(call *wire.Call, fields jsonvalue.Object, data []byte) (
	made chat.ToolCall, argued bool, err error,
) {
	for _, names := range [][]string{toolNames, argsNames} {
		if one, two := contradiction(fields, names); two != "" {
			return made, false, x.misfit(call, data, "a call of a tool is told in two ways, as %s and as %s", one, two)
		}
	}
	made.Name, _ = first(fields, toolNames...).(string)
	if blank(made.Name) {
		return made, false, x.misfit(call, data, "a call of a tool has no name")
	}
	args := first(fields, argsNames...)
	switch args := args.(type) {
	case nil:
		made.SetArgs("")
	case string:
		made.SetArgs(args)
	case jsonvalue.Object:
		made.SetArgs(jsonvalue.Compact(args))
	default:
		return made, false, x.misfit(call, data, "the arguments of %s should be an object, and are %s",
			call.Excerpt(made.Name), kindOf(args, false))
	}
	switch id := first(fields, "id", "call_id", "tool_call_id").(type) {
	case nil:
	case string:
		made.ID = id
	default: // a number
		made.ID = shown(call, id)
	}
	return made, args != nil && made.BadArgs == "", nil
}

func presented(v any) string {
	data, err := jsonvalue.Plain(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return tools.Present(data)
}

// first is the first of some fields that exists.
func first(fields jsonvalue.Object, names ...string) any {
	for _, name := range names {
		if v := fields[name]; v != nil {
			return v
		}
	}
	return nil
}

// contradiction returns two fields with the same meaning and different values; two is "" if there are none.
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
