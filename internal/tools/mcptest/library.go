package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// New returns a server of the library with tools of every sort.
func New() *sdk.Server {
	s := &server{sdk.NewServer(&sdk.Implementation{Name: "probe", Version: "1"}, nil)}
	s.addTexts()
	s.addMedia()
	s.addTimed()
	s.addDisturbing()
	s.AddTool(&sdk.Tool{Name: "odd", InputSchema: map[string]any{"type": "object", "pattern": "("}},
		func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return says(string(req.Params.Arguments)), nil
		})
	return s.Server
}

type server struct{ *sdk.Server }

// add adds a tool whose only argument is a text.
func (s *server) add(name string, answer func(ctx context.Context, text string) (*sdk.CallToolResult, error)) {
	type words struct {
		Text string `json:"text"`
	}
	sdk.AddTool(s.Server, &sdk.Tool{Name: name, Description: name + " it"},
		func(ctx context.Context, _ *sdk.CallToolRequest, in words) (*sdk.CallToolResult, any, error) {
			res, err := answer(ctx, in.Text)
			return res, nil, err
		})
}

// says is a result of texts.
func says(texts ...string) *sdk.CallToolResult {
	res := &sdk.CallToolResult{Content: []sdk.Content{}}
	for _, t := range texts {
		res.Content = append(res.Content, &sdk.TextContent{Text: t})
	}
	return res
}

// fails is an error of a tool.
func fails(texts ...string) *sdk.CallToolResult {
	res := says(texts...)
	res.IsError = true
	return res
}

// addTexts adds tools that answer with texts.
func (s *server) addTexts() {
	s.add("echo", func(_ context.Context, text string) (*sdk.CallToolResult, error) { return says(text), nil })
	s.add("twice", func(_ context.Context, text string) (*sdk.CallToolResult, error) {
		return says(text, "<"+text+">"), nil
	})
	s.add("nothing", func(context.Context, string) (*sdk.CallToolResult, error) { return says(), nil })
	s.add("fail", func(_ context.Context, text string) (*sdk.CallToolResult, error) { return fails(text, "twice"), nil })
	s.add("fail without a word", func(context.Context, string) (*sdk.CallToolResult, error) { return fails(), nil })
	s.add("environment", func(context.Context, string) (*sdk.CallToolResult, error) {
		return says(strings.Join(os.Environ(), "\n")), nil
	})
	s.add("ask", func(context.Context, string) (*sdk.CallToolResult, error) { return says("asked"), nil })
}

// addMedia adds tools that answer with something else than text.
func (s *server) addMedia() {
	s.add("look (picture)", func(context.Context, string) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.TextContent{Text: "see:"},
			&sdk.ImageContent{MIMEType: "image/png", Data: []byte("png")},
			&sdk.AudioContent{MIMEType: "audio/wav", Data: []byte("wav")},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "a:b", Text: "inside"}},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "a:c", MIMEType: "application/pdf", Blob: []byte("pdf")}},
			&sdk.ResourceLink{URI: "file:///x", Name: "x"},
		}}, nil
	})
	s.add("link", func(context.Context, string) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.ResourceLink{URI: "file:///x", Name: "x"}}}, nil
	})
	s.add("structured", func(context.Context, string) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{
			Content: []sdk.Content{}, StructuredContent: json.RawMessage(`{"id":12345678901234567890}`),
		}, nil
	})
}

// addTimed adds tools that take time.
func (s *server) addTimed() {
	s.add("wait", func(ctx context.Context, _ string) (*sdk.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	s.add("slow", func(ctx context.Context, _ string) (*sdk.CallToolResult, error) {
		select {
		case <-time.After(20 * time.Millisecond): // is meant to pass: this is what the tool is for
		case <-ctx.Done():
		}
		return says("done"), ctx.Err()
	})
}

// addDisturbing adds a tool that ends the server, and one that adds another tool.
func (s *server) addDisturbing() {
	s.add("die", func(context.Context, string) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "out of paper")
		os.Exit(7)
		return nil, nil
	})
	s.add("grow", func(context.Context, string) (*sdk.CallToolResult, error) {
		s.add("grown", func(_ context.Context, text string) (*sdk.CallToolResult, error) { return says(text), nil })
		return says("more"), nil
	})
}
