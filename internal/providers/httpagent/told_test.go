package httpagent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestTold: what an endpoint reports about its work, and what is unreported.
func TestTold(t *testing.T) {
	t.Parallel()
	const whole = `{"reply": "Lost.", "why": "length", "usage": {"prompt_tokens": 12, "completion_tokens": 3, ` +
		`"cached_tokens": 2, "cost_usd": 0.25}, "calls": [` +
		`{"id": 7, "name": "get", "args": {"id": 12345678901234567890}, "result": {"status": "lost"}}, ` +
		`{"id": "b", "function": {"name": "mail", "arguments": "{\"to\": \"x\"}"}, "error": "no server"}, ` +
		`{"tool": "wait", "input": {}, "output": "ok"}, {"name": "odd", "arguments": "not JSON"}]}`
	streamed := "data: {\"calls\": [{\"id\": \"7\", \"name\": \"get\", \"args\": {\"id\": 12345678901234567890}}]}\n\n" +
		"data: {\"reply\": \"Lost.\"}\n\n" +
		"data: {\"calls\": [{\"id\": \"7\", \"name\": \"get\", \"result\": {\"status\": \"lost\"}}]}\n\n" +
		strings.ReplaceAll("data: "+whole[strings.Index(whole, `"why"`)-1:]+"\n\n", `"why"`, `{"why"`)
	streamed = strings.Replace(streamed, ` {"why"`, `{"why"`, 1) + "data: [DONE]\n\n"
	unreported := []string{ // of odd
		chat.UnreportedModelCalls, chat.UnreportedArguments, chat.UnreportedResults, chat.UnreportedOutcomes,
	}
	for _, kind := range []string{jsonKind, "text/event-stream"} {
		url := served(t, answer(200, kind, map[string]string{jsonKind: whole, "text/event-stream": streamed}[kind]))
		p := agent(t, url, func(s *scenario.Provider) {
			h := s.HTTP
			h.ToolCalls, h.Usage, h.Finish = "calls", "usage", "why"
			if kind != jsonKind {
				h.Stream = &scenario.HTTPStream{Data: "reply", Done: "[DONE]"}
			}
		})
		ctx := providers.InTrial(t.Context(), &providers.Trial{ID: "t"})
		req := ask("Where is it?")
		req.Stream = true
		var pieces []string
		listen := func(d chat.Delta) error {
			pieces = append(pieces, d.Text)
			return nil
		}
		r, err := p.Complete(ctx, req, listen)
		if err != nil || len(pieces) != 0 || r.Content != "" || r.FinishReason != "tool_calls" || r.Usage != (chat.Usage{}) ||
			*r.CostUSD != 0 {
			t.Fatalf("%s: %+v, %v, %q", kind, r, err, pieces)
		}
		var lines []string
		for i, call := range r.ToolCalls {
			res := r.ToolResults[i]
			lines = append(lines, fmt.Sprint(call.ID, " ", call.Name, " ", call.Args, call.BadArgs, " ",
				strings.Join(strings.Fields(res.Content), ""), " ", res.Error))
			if res.ID != call.ID {
				t.Errorf("the result of %s is that of %s", call.ID, res.ID)
			}
		}
		want := []string{
			`7 get map[id:12345678901234567890] {"status":"lost"} `, `b mail map[to:x] noserver no server`,
			`call-3 wait map[] ok `, `call-4 odd map[]not JSON  `,
		}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
		req.Origin.Reply = 1
		r, err = p.Complete(ctx, req, listen)
		if err != nil || r.Content != "Lost." || strings.Join(pieces, "|") != "Lost." || r.FinishReason != "length" ||
			*r.CostUSD != 0.25 || r.Usage != (chat.Usage{InputTokens: 12, OutputTokens: 3, CachedTokens: 2}) ||
			!cmp.Equal(r.Unreported, unreported) {
			t.Errorf("%s: %+v, %v, %q", kind, r, err, pieces)
		}
		if _, err := p.Complete(ctx, req, listen); err == nil {
			t.Error("it goes on with a reply that is finished")
		}
	}
}

// TestFailedCalls: failed calls are recognised in every form.
func TestFailedCalls(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`"error": "no rights"`:                             "no rights",
		`"result": "x", "is_error": true`:                  "x",
		`"result": {"a": 1}, "isError": "true"`:            "{\n  \"a\": 1\n}",
		`"output": "x", "status": "FAILED"`:                "x",
		`"state": "denied"`:                                "it failed, and the endpoint does not say why",
		`"success": false, "result": ""`:                   "it failed, and the endpoint does not say why",
		`"result": {"error": "no rights"}`:                 "no rights",
		`"result": {"isError": true, "error": "gone"}`:     "gone",
		`"result": "x", "is_error": false, "status": "ok"`: "",
		`"result": "x", "status": 500`:                     "x",
		`"exception": "it broke", "result": null`:          "it broke",
		`"outcome": "error"`:                               "it failed, and the endpoint does not say why",
		`"result": {"success": false}`:                     "{\n  \"success\": false\n}",
		`"result": "x", "status": 200`:                     "",
		`"result": {"error": null, "rows": []}`:            "",
		`"result": {"errors": 0}, "success": true`:         "",
	} {
		url := served(t, answer(200, jsonKind, `{"reply": "Done.", "calls": [{"name": "delete", "args": {}, `+body+`}]}`))
		p := agent(t, url, func(s *scenario.Provider) { s.HTTP.ToolCalls = "calls" })
		r, err := p.Complete(providers.InTrial(t.Context(), &providers.Trial{ID: "t"}), ask("Delete it."), nil)
		if err != nil || len(r.ToolResults) != 1 || r.ToolResults[0].Error != want {
			t.Errorf("%s: %+v, %v; want the error %q", body, r.ToolResults, err, want)
		}
	}
}

// TestUnknownEnd: a path of finish reasons that finds none is reported, because a cut reply looks complete.
func TestUnknownEnd(t *testing.T) {
	t.Parallel()
	url := served(t, answer(200, jsonKind, `{"reply": "It is", "finish": "length"}`))
	for path, want := range map[string]string{
		"":       "",
		"finish": "",
		"finsh":  `finish_reason: an answer has nothing at "finsh", so that it is not known whether the reply was cut`,
	} {
		p := agent(t, url, func(s *scenario.Provider) { s.HTTP.Finish = path })
		if r, err := p.Complete(t.Context(), ask("Where is it?"), nil); err != nil || r.Notice != want {
			t.Errorf("%q: %q, %v; want %q", path, r.Notice, err, want)
		}
	}
}

// TestFailedAnswers: an answer that says of itself that it failed is no reply, and one that may say so is doubted.
func TestFailedAnswers(t *testing.T) {
	t.Parallel()
	const broken, doubted = "error", "doubt"
	for body, want := range map[string]string{
		`"success": false`:                     broken,
		`"status": "failed", "is_error": true`: broken,
		`"status": "Error"`:                    broken,
		`"ok": "false"`:                        broken,
		`"status_code": 500`:                   broken,
		`"errors": ["down"]`:                   broken,
		`"exception": {"type": "Timeout"}`:     broken,
		`"status": "cancelled"`:                doubted, // which may be the order
		`"state": "rejected"`:                  doubted,
		`"status": "ok", "success": true`:      "",
		`"errors": [], "is_error": false`:      "",
		`"errors": 2`:                          "",
		`"status": 200, "error": "none"`:       "",
		`"status": "shipped"`:                  "",
	} {
		url := served(t, answer(200, jsonKind, `{"reply": "It is lost.", `+body+`}`))
		for _, own := range []string{scenario.HTTPError, "failure"} {
			p := agent(t, url, func(s *scenario.Provider) { s.HTTP.Error = own })
			r, err := p.Complete(t.Context(), ask("Where is it?"), nil)
			got := ""
			switch {
			case err != nil:
				got = broken
			case r.Notice != "":
				got = doubted
			}
			wanted := want
			if own != scenario.HTTPError && want == broken { // the file says where failures stand
				wanted = doubted
			}
			if got != wanted {
				t.Errorf("%s with error: %s: %q (%v, %q), want %q", body, own, got, err, r.Notice, wanted)
			}
		}
	}
}

// TestCallsToldTwice: two different calls with the same id are an error, and a repeated call adds missing arguments and
// results.
func TestCallsToldTwice(t *testing.T) {
	t.Parallel()
	const call = `{"id": "1", "name": "refund", "args": {"id": "A-1"}`
	for calls, want := range map[string]string{
		call + `}`:                `1 refund {"id":"A-1"}`,
		call + `}, ` + call + `}`: "bad_reply: two calls of tools have the id 1",
		call + `, "result": 1}, ` + call + `, "result": 1}`:                "bad_reply: two calls of tools have the id 1",
		call + `}, ` + call + `, "result": 1}`:                             `1 refund {"id":"A-1"}`,
		call + `}, {"id": "1", "name": "refund", "result": 1}`:             `1 refund {"id":"A-1"}`,
		`{"id": "1", "name": "refund"}, ` + call + `, "result": 1}`:        `1 refund {"id":"A-1"}`,
		call + `}, {"id": "1", "name": "refund", "args": {}, "result": 1}`: `1 refund {"id":"A-1"}`,
		call + `}, {"id": "1", "name": "refund", "args": {"id": "A-2"}, "result": 1}`: "bad_reply: the call of a tool with the " +
			"id 1 is told twice, with other arguments",
		call + `}, {"id": "1", "name": "mail", "result": 1}`: "bad_reply: two calls of tools have the id 1",
	} {
		url := served(t, answer(200, jsonKind, `{"reply": "Done.", "calls": [`+calls+`]}`))
		p := agent(t, url, func(s *scenario.Provider) { s.HTTP.ToolCalls = "calls" })
		r, err := p.Complete(providers.InTrial(t.Context(), &providers.Trial{ID: "t"}), ask("Refund it."), nil)
		got := outcome(url, r, err)
		if got, _, _ = strings.Cut(got, ": {"); err == nil && len(r.ToolCalls) == 1 {
			c := &r.ToolCalls[0]
			got = fmt.Sprint(c.ID, " ", c.Name, " ", jsonvalue.Compact(c.Args))
		}
		if got != want {
			t.Errorf("%s: %s, want %s", calls, got, want)
		}
	}
}

// TestContradictoryUsage: contradicting counts, or a sum that differs from its parts, are unreported.
func TestContradictoryUsage(t *testing.T) {
	t.Parallel()
	for usage, want := range map[string]string{
		`"input_tokens": 10, "output_tokens": 5`:                           "counted",
		`"input_tokens": 10, "output_tokens": 5, "total_tokens": 15`:       "counted",
		`"input_tokens": 10, "output_tokens": 5, "reasoning_tokens": 4`:    "counted",
		`"input_tokens": 10, "prompt_tokens": 10, "output_tokens": 5`:      "counted",
		`"input_tokens": 10, "output_tokens": 5, "total_tokens": 10000`:    "estimated",
		`"input_tokens": 10, "output_tokens": 5, "reasoning_tokens": 9999`: "estimated",
		`"input_tokens": 10`: "estimated",
		`"input_tokens": 10, "prompt_tokens": 9999, "output_tokens": 5`:     "error",
		`"input_tokens": 10, "output_tokens": 5, "completion_tokens": 9999`: "error",
		`"input_tokens": 10, "output_tokens": 5, "total_tokens": "a lot"`:   "error",
		`"total_tokens": 10`:  "error",
		`"cached_tokens": 10`: "error",
	} {
		url := served(t, answer(200, jsonKind, `{"reply": "Hi.", "usage": {`+usage+`}}`))
		p := agent(t, url, func(s *scenario.Provider) { s.HTTP.Usage = "usage" })
		r, err := p.Complete(t.Context(), ask("Hi"), nil)
		got := map[bool]string{true: "estimated", false: "counted"}[r.Usage.Estimated]
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%s: %s (%v), want %s", usage, got, err, want)
		}
	}
}

// TestUntold: without a list of calls the calls are unknown, and an empty list means that there were none.
func TestUnreported(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, answer string
		want         int
	}{
		{"", `{"reply": "Hello"}`, 2},
		{"", `{"reply": "Hello", "calls": []}`, 2},
		{"calls", `{"reply": "Hello"}`, 2},
		{"calls", `{"reply": "Hello", "calls": null}`, 2},
		{"$.steps[*].calls[*]", `{"reply": "Hello", "calls": []}`, 2},
		{"calls", `{"reply": "Hello", "calls": []}`, 1},
		{"calls || `[]`", `{"reply": "Hello"}`, 1},
	} {
		p := agent(t, served(t, answer(200, jsonKind, c.answer)), func(s *scenario.Provider) { s.HTTP.ToolCalls = c.path })
		r, err := p.Complete(t.Context(), ask("Hi"), nil)
		if err != nil || len(r.Unreported) != c.want || !r.Usage.Estimated || r.Usage.InputTokens == 0 || r.CostUSD != nil {
			t.Errorf("%s %s: %+v, %v", c.path, c.answer, r, err)
		}
	}
}

// TestCountsOfStreams: each count of a stream is of all so far, so that a later one cannot be less.
func TestCountsOfStreams(t *testing.T) {
	t.Parallel()
	event := func(usage string) string { return `data: {"reply": "Hi", "usage": ` + usage + "}\n\n" }
	const misfit = "bad_reply: usage is less than what was told of this reply before; it should count all of the reply"
	for _, c := range []struct{ first, second, want string }{
		{`{"input_tokens": 5, "output_tokens": 1}`, `{"input_tokens": 5, "output_tokens": 9, "cost_usd": 1}`, "HiHi"},
		{`{"input_tokens": 500, "output_tokens": 9}`, `{"input_tokens": 5, "output_tokens": 9}`, misfit},
		{`{"input_tokens": 5, "output_tokens": 9}`, `{"input_tokens": 5}`, misfit},
		{`{"cost_usd": 2}`, `{"cost_usd": 1}`, misfit},
		{`{"cost_usd": 2}`, `{"input_tokens": 5, "output_tokens": 9}`, misfit},
	} {
		url := served(t, answer(200, "text/event-stream", event(c.first)+event(c.second)+"data: [DONE]\n\n"))
		p := agent(t, url, func(s *scenario.Provider) {
			s.HTTP.Usage, s.HTTP.Stream = "usage", &scenario.HTTPStream{Data: "reply", Done: "[DONE]"}
		})
		req := ask("Hi")
		req.Stream = true
		r, err := p.Complete(t.Context(), req, func(chat.Delta) error { return nil })
		if got, _, _ := strings.Cut(outcome(url, r, err), ": {"); got != c.want {
			t.Errorf("%s, %s: %s", c.first, c.second, got)
		}
	}
}
