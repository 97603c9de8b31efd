// Package generate makes files from recorded conversations: scenarios that repeat them, and mock replies. Recorded text
// is untrusted: it is quoted, never interpreted, and never used as a path.
package generate

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
)

// reply writes a message of the assistant as a canned reply. results are the tool results by index of the call. With
// timed, the canned reply takes as long as the recorded one. A message without anything but text becomes a plain text.
func reply(m *chat.Message, results map[int]*chat.ToolResult, timed bool) *node.Node {
	out := node.NewMap()
	if m.Content != "" && len(m.Parts) > 0 {
		node.Put(out, "type", node.Str("multimodal"))
	}
	if m.Content != "" || len(m.Parts) == 0 && len(m.ToolCalls) == 0 {
		node.Put(out, "content", node.Str(m.Content))
	}
	if len(m.ToolCalls) > 0 {
		calls := node.NewList()
		for i := range m.ToolCalls {
			calls.Content = append(calls.Content, call(&m.ToolCalls[i], results[i]))
		}
		node.Put(out, "tool_calls", calls)
	}
	node.Put(out, "parts", parts(m.Parts))
	if m.FinishReason == "length" || m.FinishReason == "content_filter" {
		node.Put(out, "finish_reason", node.Str(m.FinishReason))
	}
	addUsage(out, m)
	if timed && m.LatencyMS > 0 {
		node.Put(out, "latency_ms", number(min(m.LatencyMS, maxLatency)))
	}
	if len(out.Content) == 2 && m.Content != "" {
		return out.Content[1]
	}
	return out
}

// addUsage adds the recorded usage and cost of the message if they differ from a mock's defaults: checks may need them.
func addUsage(out *node.Node, m *chat.Message) {
	if u := m.Usage; u != nil && !u.Estimated {
		usage := jsonvalue.Object{"input_tokens": wholeNumber(u.InputTokens), "output_tokens": wholeNumber(u.OutputTokens)}
		if u.CachedTokens > 0 {
			usage["cached_tokens"] = wholeNumber(u.CachedTokens)
		}
		if u.CacheWriteTokens > 0 {
			usage["cache_write_tokens"] = wholeNumber(u.CacheWriteTokens)
		}
		if u.ReasoningTokens > 0 {
			usage["reasoning_tokens"] = wholeNumber(u.ReasoningTokens)
		}
		node.Put(out, "usage", node.FromJSON(usage))
	}
	if m.CostUSD != nil && *m.CostUSD >= 0 && !isMockPrice(m) {
		node.Put(out, "cost_usd", number(*m.CostUSD))
	}
}

// isMockPrice reports whether a message cost what a mock asks for as many tokens, estimated as they are.
func isMockPrice(m *chat.Message) bool {
	if m.Usage == nil || !m.Usage.Estimated {
		return false
	}
	const same = 1e-9 // USD; a token of a mock costs ten thousand times as much
	return math.Abs(*m.CostUSD-float64(m.Usage.Total())*scenario.MockPer1K/1000) < same
}

// maxLatency is the limit of a mock's latency in milliseconds.
const maxLatency = 3_600_000

func number(f float64) *node.Node {
	return node.Number(json.Number(strconv.FormatFloat(f, 'f', -1, 64)))
}

func wholeNumber(n int) json.Number { return json.Number(strconv.Itoa(max(n, 0))) }

func call(c *chat.ToolCall, result *chat.ToolResult) *node.Node {
	out := node.NewMap()
	node.Put(out, "name", node.Str(c.Name))
	switch {
	case c.BadArgs != "":
		node.Put(out, "arguments", node.Str(c.BadArgs))
	case len(c.Args) > 0:
		node.Put(out, "arguments", node.FromJSON(c.Args))
	}
	if result == nil {
		return out
	}
	if result.Error == "" || result.Content != result.Error {
		node.Put(out, "result", node.Str(result.Content))
	}
	node.Put(out, "result_parts", parts(result.Parts))
	if result.Error != "" {
		node.Put(out, "error", node.Str(result.Error))
		switch result.ErrorType {
		case chat.ErrorValidation, chat.ErrorApproval:
			node.Put(out, "error_type", node.Str(result.ErrorType))
		}
	}
	return out
}

// parts writes the parts of a message; nil when there are none. For a medium that was in a file, it writes only the
// kind.
func parts(list []chat.Part) *node.Node {
	if len(list) == 0 {
		return nil
	}
	out := node.NewList()
	for _, p := range list {
		n := node.NewMap()
		node.Put(n, "type", node.Str(p.Type))
		if p.Media == nil {
			node.Put(n, "text", node.Str(p.Text))
		} else {
			medium(n, &p)
		}
		out.Content = append(out.Content, n)
	}
	return out
}

func medium(n *node.Node, p *chat.Part) {
	m := p.Media
	if key := p.Type + "_url"; m.URL != "" && (key == "image_url" || key == "audio_url" || key == "video_url") {
		node.Put(n, key, node.FromJSON(jsonvalue.Object{"url": m.URL}))
	} else if data, _ := m.Base64(); data != "" || m.URL != "" { // what is not at hand is only described
		media := jsonvalue.Object{"mime_type": m.MIMEType}
		if media["url"] = m.URL; m.URL == "" {
			delete(media, "url")
			media["data"] = data
		}
		node.Put(n, "media", node.FromJSON(media))
		return // the type is written already; the format has no field for more
	}
	facts := jsonvalue.Object{"mime_type": m.MIMEType}
	for name, size := range map[string]float64{
		"width": float64(m.Width), "height": float64(m.Height), "duration": m.Duration,
	} {
		if size > 0 {
			facts[name] = strconv.FormatFloat(size, 'g', -1, 64)
		}
	}
	node.Put(n, "metadata", node.FromJSON(facts))
}

// header writes the comment above a generated file. No line can end the comment.
func header(lines ...string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString("# ")
		b.WriteString(oneLine(line, 300))
		b.WriteByte('\n')
	}
	return b.String()
}
