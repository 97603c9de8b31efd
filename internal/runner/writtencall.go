package runner

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/enclosed"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// Calls of tools that a model writes into its text, in the forms that models are trained to write and that servers turn
// into calls. Forms with marks of their own are found whatever they call; the others are words too, unless they name a
// tool that the agent was offered.

// markedCall finds the beginning of a call in a form that has marks of its own.
var markedCall = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`<tool_call>\s*[{<]|<\|?tool_calls?\|?>\s*[\[{<]|\[TOOL_CALLS\]\s*[\[{\w]|` +
		`<function=[\w.-]+>|<invoke name="[\w.-]+">|functools\[\s*\{|✿FUNCTION✿:\s*[\w.-]+|` +
		`<\|python_tag\|>|<function_calls?>\s*[{<]|<｜tool▁calls?▁begin｜>|<\|tool_calls?_(?:section_)?begin\|>|` +
		`(?m:^|[\s>])to=functions\.[\w.-]+|(?m:^Action:[ \t]*\S[^\n]*\n+Action Input:)|` +
		"(?m:^```(?:tool_call|tool_code|tool_use|function_call)s?[ \\t]*\\n)")
})

// mayHoldCall reports whether a text has a part of what markedCall finds. Nearly no reply has one, and looking for that
// costs less than the expression.
func mayHoldCall(text string) bool {
	return slices.ContainsFunc([]string{"<", "```", "[TOOL_CALLS]", "functools[", "✿", "to=functions.", "Action:"},
		func(part string) bool { return strings.Contains(text, part) })
}

// callTags are tags that hold the call of a tool.
var callTags = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`<(?:tool_use|use_tool|execute_tool|call_tool|tools?|function|call)>\s*`)
})

// writtenCall is the beginning of the call of a tool that a text holds; "": none. tools are the names of those that the
// agent was offered.
func writtenCall(text string, tools []string) string {
	if mayHoldCall(text) {
		if call := markedCall().FindString(text); call != "" {
			return strings.TrimSpace(call)
		}
	}
	if len(tools) == 0 {
		return ""
	}
	for _, at := range callTags().FindAllStringIndex(text, -1) {
		if name := leadingName(text[at[1]:], tools); name != "" {
			return text[at[0]:at[1]] + name
		}
	}
	if call := onlyCall(text, tools); call != "" {
		return call
	}
	return calledInJSON(text, tools)
}

// calledInJSON is the name of a tool that an object within a text calls.
func calledInJSON(text string, tools []string) string {
	for doc := range enclosed.JSON(text, nil) {
		v, err := chat.DecodeJSON([]byte(doc))
		if err != nil {
			continue
		}
		if name := calledBy(v); slices.Contains(tools, name) {
			return name
		}
	}
	return ""
}

// calledBy is the name of the tool that a value is the call of; "": it is none. A name alone is no call.
func calledBy(v any) string {
	if list, is := v.([]any); is && len(list) > 0 {
		v = list[0]
	}
	o, is := v.(jsonvalue.Object)
	if !is {
		return ""
	}
	if list, is := o["tool_calls"].([]any); is && len(list) > 0 {
		return calledBy(list[0])
	}
	if function, is := o["function"].(jsonvalue.Object); is {
		return calledBy(function)
	}
	name := ""
	for _, key := range []string{"name", "tool", "tool_name", "function", "action"} {
		if word, is := o[key].(string); is {
			name = strings.TrimPrefix(word, "functions.")
			break
		}
	}
	for _, key := range []string{
		"arguments", "parameters", "args", "params", "tool_input", "action_input", "input", "tool_args",
	} {
		if _, given := o[key]; given {
			return name
		}
	}
	return ""
}

// onlyCall is a tool that a text calls as a program does, name(…), or with its arguments as JSON behind its name, or
// as a tag, where the text is nothing else.
func onlyCall(text string, tools []string) string {
	text = withoutHead(text)
	if block, whole := soleBlock(text); whole {
		text = block
	}
	text = strings.TrimSpace(text)
	if tagged, is := strings.CutPrefix(text, "<"); is {
		name := leadingName(tagged, tools)
		if name != "" && strings.HasPrefix(tagged, name+">") && strings.HasSuffix(text, "</"+name+">") {
			return "<" + name + ">"
		}
		return ""
	}
	inner := strings.TrimSpace(strings.TrimPrefix(text, "["))
	inner = strings.TrimPrefix(inner, "print(")
	name := leadingName(inner, tools)
	if name == "" {
		return ""
	}
	_, rest, _ := strings.Cut(inner, name)
	switch end := strings.TrimRight(rest, ")]; \n"); {
	case strings.HasPrefix(rest, "(") && len(end) < len(rest) && strings.Contains(rest[len(end):], ")") &&
		!proseBehind(rest):
		return name + "("
	case isObject(strings.TrimPrefix(strings.TrimSpace(rest), ":")):
		return name
	}
	return ""
}

// isObject reports whether a text is a JSON object.
func isObject(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "{") && json.Valid([]byte(text))
}

// proseBehind reports whether words follow the bracket that closes the arguments of a call.
func proseBehind(rest string) bool {
	depth, quote := 0, byte(0)
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				behind := strings.TrimLeft(rest[i+1:], " ")
				return behind != "" && !strings.ContainsRune("\n,;])", rune(behind[0]))
			}
		}
	}
	return true
}

// leadingName is the longest name of a tool that a text begins with, also behind the name that models give the place of
// their tools.
func leadingName(text string, tools []string) (name string) {
	for _, place := range []string{"functions.", "default_api.", "tools."} {
		text = strings.TrimPrefix(text, place)
	}
	for _, tool := range tools {
		if len(tool) > len(name) && strings.HasPrefix(text, tool) {
			name = tool
		}
	}
	return name
}

// withoutHead is a text without the marks and the name that a template puts before what an assistant says.
func withoutHead(text string) string {
	return headMarks().ReplaceAllString(text, "")
}

var headMarks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:assistant)?(?:\s*<\|\w+\|>(?:assistant\b)?)+\s*`)
})

// soleBlock is what stands in a block of code that is all of a text.
func soleBlock(text string) (block string, whole bool) {
	const fence = "```"
	rest, opened := strings.CutPrefix(text, fence)
	rest, closed := strings.CutSuffix(rest, fence)
	_, block, lines := strings.Cut(rest, "\n")
	return block, opened && closed && lines && !strings.Contains(block, fence)
}
