package mcp

import (
	"encoding/base64"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/tools"
)

// exactKey is the key of a structured result with the exact digits of its numbers; see exact.
const exactKey = "arena/structured"

// bareKey is the key of a result that has no content; see exact.
const bareKey = "arena/bare"

// result turns a server's answer into a tool result.
func result(call chat.ToolCall, res *sdk.CallToolResult) chat.ToolResult {
	if res.NeedsInput() {
		return tools.Failure(call, chat.ErrorExecution, "the server asks for more input in the middle of the call, "+
			"which nobody gives in a test")
	}
	parts, media := partsOf(res.Content)
	var texts []string
	for _, p := range parts {
		if p.Media == nil {
			texts = append(texts, p.Text)
		}
	}
	switch {
	case res.IsError:
		text := strings.Join(texts, "; ")
		if text == "" {
			text = structured(res)
		}
		if text == "" {
			text = "the tool failed and does not say why"
		}
		return tools.Failure(call, chat.ErrorExecution, text)
	case media:
		out := chat.ToolResult{Parts: parts, Doubt: without(parts)}
		out.Content = out.Text()
		return out
	case len(texts) > 1:
		return chat.ToolResult{Content: jsonvalue.Compact(texts)}
	case len(texts) == 1:
		return chat.ToolResult{Content: texts[0]}
	}
	if text := structured(res); text != "" {
		if failure, failed := tools.ReportedFailure([]byte(text)); failed {
			return tools.Failure(call, chat.ErrorExecution, failure)
		}
		return chat.ToolResult{Content: text}
	}
	if res.Meta[bareKey] == true {
		return chat.ToolResult{Doubt: "its result has no content, which the protocol asks for, and counts as one that worked"}
	}
	return chat.ToolResult{} // the server says that it worked, and nothing more
}

// without says that a medium came without data; "": each has some.
func without(parts []chat.Part) string {
	for i := range parts {
		if m := parts[i].Media; m != nil && m.Data == "" {
			return "its result has a part of the type " + parts[i].Type + " (" + m.MIMEType + ") without data"
		}
	}
	return ""
}

// structured returns the structured result as JSON; "": none.
func structured(res *sdk.CallToolResult) string {
	if exact, ok := res.Meta[exactKey].(string); ok {
		return tools.Present([]byte(exact))
	}
	if res.StructuredContent == nil {
		return ""
	}
	data, err := jsonvalue.Plain(res.StructuredContent)
	if err != nil { // cannot happen: the value was decoded from JSON
		return ""
	}
	return tools.Present(data)
}

// partsOf returns the parts of a result, and whether one of them is not text.
func partsOf(content []sdk.Content) (parts []chat.Part, media bool) {
	for _, c := range content {
		part := partOf(c)
		media = media || part.Media != nil
		parts = append(parts, part)
	}
	return parts, media
}

func partOf(c sdk.Content) chat.Part {
	switch c := c.(type) {
	case *sdk.TextContent:
		return text(c.Text)
	case *sdk.ImageContent:
		return inline("image", c.MIMEType, c.Data)
	case *sdk.AudioContent:
		return inline("audio", c.MIMEType, c.Data)
	case *sdk.ResourceLink:
		return text("[resource: " + c.URI + "]")
	case *sdk.EmbeddedResource:
		return embedded(c.Resource)
	}
	return text(fmt.Sprintf("[%T]", c))
}

func embedded(r *sdk.ResourceContents) chat.Part {
	switch {
	case r == nil:
		return text("[resource]")
	case r.Blob == nil:
		return text(r.Text)
	}
	kind, _, _ := strings.Cut(r.MIMEType, "/")
	switch kind {
	case "image", "audio", "video":
	default:
		kind = "document"
	}
	return inline(kind, r.MIMEType, r.Blob)
}

func text(t string) chat.Part {
	return chat.Part{Type: "text", Text: strings.ToValidUTF8(t, "\uFFFD")}
}

func inline(kind, mime string, data []byte) chat.Part {
	if mime == "" {
		mime = "application/octet-stream"
	}
	return chat.Part{Type: kind, Media: &chat.Media{MIMEType: mime, Data: base64.StdEncoding.EncodeToString(data)}}
}
