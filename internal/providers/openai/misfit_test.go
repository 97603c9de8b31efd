package openai

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/providers/providertest"
)

// TestMisfits: JSON of another form than that of a reply is no broken JSON; the error says where what was expected, of
// a reply in one piece, and of a chunk of a stream.
func TestMisfits(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		`5`:                                      "all of it must be an object, found a number",
		`"no"`:                                   "all of it must be an object, found text",
		`[]`:                                     "all of it must be an object, found a list",
		`true`:                                   "all of it must be an object, found true or false",
		`{"choices":5}`:                          "choices must be a list, found a number",
		`{"choices":{}}`:                         "choices must be a list, found an object",
		`{"choices":"none"}`:                     "choices must be a list, found text",
		`{"choices":[5]}`:                        "choices must be an object, found a number",
		`{"choices":[[]]}`:                       "choices must be an object, found a list",
		`{"choices":[{"index":"0"}]}`:            "choices.index must be a whole number, found text",
		`{"choices":[{"index":0.5}]}`:            "choices.index must be a whole number, found 0.5",
		`{"choices":[{"finish_reason":5}]}`:      "choices.finish_reason must be text, found a number",
		`{"choices":[{"finish_reason":[]}]}`:     "choices.finish_reason must be text, found a list",
		`{"choices":[{"SAID":5}]}`:               "choices.SAID must be an object, found a number",
		`{"choices":[{"SAID":{"content":5}}]}`:   "choices.SAID.content must be text, found a number",
		`{"choices":[{"SAID":{"content":{}}}]}`:  "choices.SAID.content must be text, found an object",
		`{"choices":[{"SAID":{"content":[5]}}]}`: "choices.SAID.content must be an object, found a number",
		`{"choices":[{"SAID":{"content":[{"text":5}]}}]}`:                               "choices.SAID.content.text must be text, found a number",
		`{"choices":[{"SAID":{"refusal":true}}]}`:                                       "choices.SAID.refusal must be text, found true or false",
		`{"choices":[{"SAID":{"tool_calls":{}}}]}`:                                      "choices.SAID.tool_calls must be a list, found an object",
		`{"choices":[{"SAID":{"tool_calls":["f"]}}]}`:                                   "choices.SAID.tool_calls must be an object, found text",
		`{"choices":[{"SAID":{"tool_calls":[{"id":7,"function":{"name":"f"}}]}}]}`:      "choices.SAID.tool_calls.id must be text, found a number",
		`{"choices":[{"SAID":{"tool_calls":[{"index":"0","function":{"name":"f"}}]}}]}`: "choices.SAID.tool_calls.index must be a whole number, found text",
		`{"choices":[{"SAID":{"tool_calls":[{"function":"f"}]}}]}`:                      "choices.SAID.tool_calls.function must be an object, found text",
		`{"choices":[{"SAID":{"tool_calls":[{"function":{"name":["f"]}}]}}]}`:           "choices.SAID.tool_calls.function.name must be text, found a list",
		`{"choices":[],"model":7}`:                                                      "model must be text, found a number",
		`{"choices":[],"usage":"3"}`:                                                    "usage must be an object, found text",
		`{"choices":[],"usage":{"prompt_tokens":"3"}}`:                                  "usage.prompt_tokens must be a whole number, found text",
		`{"choices":[],"usage":{"completion_tokens":1.5}}`:                              "usage.completion_tokens must be a whole number, found 1.5",
		`{"choices":[],"usage":{"prompt_tokens_details":{"cached_tokens":[]}}}`:         "usage.prompt_tokens_details.cached_tokens must be a whole number, found a list",
	} {
		for field, form := range map[string]string{"message": "the reply", "delta": "a chunk of the stream"} {
			document, want := strings.ReplaceAll(document, "SAID", field), strings.ReplaceAll(want, "SAID", field)
			kind, body := "application/json", document
			if field == "delta" {
				kind, body = "text/event-stream", "data: "+document+"\n\ndata: [DONE]\n\n"
			}
			_, err := ask(t, providertest.Answers(200, kind, body), field == "delta")
			checkError(t, err, "bad_reply: "+form+" does not have the expected form: "+want+": "+document)
		}
	}
}
