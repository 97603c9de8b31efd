package otlp

import (
	"strconv"
	"time"

	"github.com/arena-evals/arena/internal/result"
)

func (t *trace) callStarted(c *trial, e *result.CallStarted) {
	s := c.parent(e.Step).child(join("chat", e.Model), e.Trial, "call/"+strconv.Itoa(e.Number), client, e.Time)
	s.text("gen_ai.operation.name", "chat")
	s.text("gen_ai.provider.name", providerName(e.Type))
	s.text("gen_ai.request.model", e.Model)
	s.text("gen_ai.conversation.id", e.Trial)
	s.number("gen_ai.request.temperature", e.Temperature)
	s.number("gen_ai.request.top_p", e.TopP)
	if e.MaxTokens != nil {
		s.setInt("gen_ai.request.max_tokens", int64(*e.MaxTokens))
	}
	if e.Seed != nil {
		s.setInt("gen_ai.request.seed", *e.Seed)
	}
	if len(e.Stop) > 0 {
		s.texts("gen_ai.request.stop_sequences", e.Stop...)
	}
	if e.Format != "" {
		s.text("gen_ai.output.type", "json")
	}
	s.text("arena.reasoning_effort", e.Effort)
	s.text("arena.provider", e.Call.Provider)
	s.text("arena.judge", e.Judge)
	s.text("arena.persona", e.Persona)
	s.flag("arena.summary", e.Summary)
	s.text("server.address", e.Host)
	if e.Port > 0 {
		s.setInt("server.port", int64(e.Port))
	}
	s.text("arena.step", e.Step)
	if t.content {
		s.content("gen_ai.input.messages", inputMessages(e.Request.Messages))
		if len(e.Request.Tools) > 0 {
			s.content("gen_ai.tool.definitions", definitions(e.Request.Tools))
		}
	}
	c.calls[e.Number] = s
}

func join(operation, what string) string {
	if what == "" {
		return operation
	}
	return operation + " " + what
}

func (t *trace) callCompleted(c *trial, e *result.CallCompleted) {
	s := c.calls[e.Number]
	if s == nil {
		return
	}
	delete(c.calls, e.Number)
	s.text("gen_ai.response.id", e.Answer.ID)
	s.text("gen_ai.response.model", e.ResponseModel)
	s.texts("gen_ai.response.finish_reasons", e.FinishReason)
	s.setInt("gen_ai.usage.input_tokens", int64(e.Usage.Input))
	s.setInt("gen_ai.usage.output_tokens", int64(e.Usage.Output))
	if e.Usage.Cached > 0 {
		s.setInt("gen_ai.usage.cache_read.input_tokens", int64(e.Usage.Cached))
	}
	if e.Usage.Written > 0 {
		s.setInt("gen_ai.usage.cache_creation.input_tokens", int64(e.Usage.Written))
	}
	s.flag("arena.usage.estimated", e.Usage.Estimated)
	s.number("arena.cost_usd", e.CostUSD)
	if e.Retries > 0 {
		s.setInt("arena.retries", int64(e.Retries))
	}
	if t.content {
		s.content("gen_ai.output.messages", outputMessages(e.Answer))
	}
	if e.Judge == "" && e.Persona == "" && !e.Summary {
		c.input += int64(e.Usage.Input)
		c.output += int64(e.Usage.Output)
	}
	t.endCall(s, e.Time, e.LatencyMS)
}

func (t *trace) callFailed(c *trial, e *result.CallFailed) {
	s := c.calls[e.Number]
	if s == nil {
		return
	}
	delete(c.calls, e.Number)
	if e.Status > 0 {
		s.setInt("http.response.status_code", int64(e.Status))
	}
	s.fail(e.ErrorKind, e.Error)
	t.endCall(s, e.Time, e.LatencyMS)
}

// endCall ends the span of a call. In a simulated conversation the clock does not advance while judges run, so the
// measured time of the call is used.
func (t *trace) endCall(s *span, at time.Time, took float64) {
	s.end(at)
	if s.End == s.Start && took > 0 {
		s.End += int64(took * float64(time.Millisecond))
	}
	t.emit(s)
}

func (t *trace) toolStarted(c *trial, e *result.ToolStarted) {
	s := c.parent(e.Step).child(join("execute_tool", e.Name), e.Trial, "call/"+strconv.Itoa(e.Number), internal, e.Time)
	s.text("gen_ai.operation.name", "execute_tool")
	s.text("gen_ai.tool.name", e.Name)
	s.text("gen_ai.tool.call.id", e.ID)
	s.text("gen_ai.tool.type", "function")
	s.text("gen_ai.conversation.id", e.Trial)
	s.flag("arena.by_check", e.ByCheck)
	s.text("arena.step", e.Step)
	if t.content {
		s.content("gen_ai.tool.call.arguments", arguments(e))
	}
	c.calls[e.Number] = s
}

func (t *trace) toolCompleted(c *trial, e *result.ToolCompleted) {
	s := c.calls[e.Number]
	if s == nil {
		return
	}
	delete(c.calls, e.Number)
	if t.content {
		s.content("gen_ai.tool.call.result", e.Result)
	}
	if e.Error != "" {
		kind, message := e.ErrorType, ""
		if kind == "" {
			kind = "_OTHER"
		}
		if t.content { // error texts of tools are content
			message = e.Error
		}
		s.fail(kind, message)
	}
	s.end(e.Time)
	if took := int64(e.LatencyMS * float64(time.Millisecond)); took > 0 { // concurrent calls are reported together
		s.End = min(s.End, s.Start+took)
	}
	t.emit(s)
}
