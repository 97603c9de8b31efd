// Package mcptest has MCP servers for tests: good ones, and such as misbehave.
package mcptest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// New is a server of the library with tools of every sort.
func New() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "probe", Version: "1"}, nil)
	type words struct {
		Text string `json:"text"`
	}
	add := func(name string, answer func(ctx context.Context, text string) (*sdk.CallToolResult, error)) {
		sdk.AddTool(s, &sdk.Tool{Name: name, Description: name + " it"},
			func(ctx context.Context, _ *sdk.CallToolRequest, in words) (*sdk.CallToolResult, any, error) {
				res, err := answer(ctx, in.Text)
				return res, nil, err
			})
	}
	says := func(texts ...string) *sdk.CallToolResult {
		res := &sdk.CallToolResult{Content: []sdk.Content{}}
		for _, t := range texts {
			res.Content = append(res.Content, &sdk.TextContent{Text: t})
		}
		return res
	}
	add("echo", func(_ context.Context, text string) (*sdk.CallToolResult, error) { return says(text), nil })
	add("twice", func(_ context.Context, text string) (*sdk.CallToolResult, error) {
		return says(text, "<"+text+">"), nil
	})
	add("nothing", func(context.Context, string) (*sdk.CallToolResult, error) { return says(), nil })
	add("fail", func(_ context.Context, text string) (*sdk.CallToolResult, error) {
		res := says(text, "twice")
		res.IsError = true
		return res, nil
	})
	add("fail without a word", func(context.Context, string) (*sdk.CallToolResult, error) {
		res := says()
		res.IsError = true
		return res, nil
	})
	add("look (picture)", func(context.Context, string) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.TextContent{Text: "see:"},
			&sdk.ImageContent{MIMEType: "image/png", Data: []byte("png")},
			&sdk.AudioContent{MIMEType: "audio/wav", Data: []byte("wav")},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "a:b", Text: "inside"}},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "a:c", MIMEType: "application/pdf", Blob: []byte("pdf")}},
			&sdk.ResourceLink{URI: "file:///x", Name: "x"},
		}}, nil
	})
	add("link", func(context.Context, string) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.ResourceLink{URI: "file:///x", Name: "x"}}}, nil
	})
	add("structured", func(context.Context, string) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{
			Content: []sdk.Content{}, StructuredContent: json.RawMessage(`{"id":12345678901234567890}`),
		}, nil
	})
	add("environment", func(context.Context, string) (*sdk.CallToolResult, error) {
		return says(strings.Join(os.Environ(), "\n")), nil
	})
	add("wait", func(ctx context.Context, _ string) (*sdk.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	add("slow", func(ctx context.Context, _ string) (*sdk.CallToolResult, error) {
		select {
		case <-time.After(20 * time.Millisecond): // is meant to pass: this is what the tool is for
		case <-ctx.Done():
		}
		return says("done"), ctx.Err()
	})
	add("die", func(context.Context, string) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "out of paper")
		os.Exit(7)
		return nil, nil
	})
	add("grow", func(context.Context, string) (*sdk.CallToolResult, error) {
		add("grown", func(_ context.Context, text string) (*sdk.CallToolResult, error) { return says(text), nil })
		return says("more"), nil
	})
	add("ask", func(ctx context.Context, _ string) (*sdk.CallToolResult, error) { return says("asked"), nil })
	s.AddTool(&sdk.Tool{Name: "odd", InputSchema: map[string]any{"type": "object", "pattern": "("}},
		func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return says(string(req.Params.Arguments)), nil
		})
	return s
}

// Serve is the life of a program as a server: one of the library (good, banner, stubborn, parent), or one that is
// written by hand and does what its kind says. It may not return.
func Serve(kind string) {
	ctx := context.Background()
	switch kind {
	case "good":
		_ = New().Run(ctx, &sdk.StdioTransport{})
	case "banner":
		fmt.Println("Welcome to v2!")
		fmt.Println("[INFO] listening")
		_ = New().Run(ctx, &sdk.StdioTransport{})
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		_ = New().Run(ctx, &sdk.StdioTransport{})
		select {}
	case "parent":
		child := exec.Command("sleep", "1000")
		if err := child.Start(); err != nil {
			os.Exit(1)
		}
		_ = os.WriteFile(os.Getenv("CHILD"), fmt.Append(nil, child.Process.Pid), 0o600)
		_ = New().Run(ctx, &sdk.StdioTransport{})
	default:
		scripted(kind)
	}
}

// scripted are servers written by hand, as others write them: they know three methods.
func scripted(kind string) {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	say := func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
	switch kind {
	case "mute":
		select {}
	case "deaf": // it never reads
		say(`hello`)
		select {}
	case "exits":
		fmt.Fprintln(os.Stderr, "no licence")
		os.Exit(3)
	case "garbage":
		for {
			say("garbage")
		}
	case "long":
		half := strings.Repeat("x", 1<<20)
		for range 1 << 10 {
			if _, err := fmt.Print(half); err != nil {
				os.Exit(1)
			}
		}
	}
	for lines.Scan() {
		var req struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Name      string         `json:"name"`
				Cursor    string         `json:"cursor"`
				Arguments map[string]any `json:"arguments"`
			} `json:"params"`
		}
		if json.Unmarshal(lines.Bytes(), &req) != nil {
			continue
		}
		switch req.Method {
		case "server/discover":
			if kind != "plain" && kind != "easily upset" { // most do not know it and say so
				say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown method"}}`, req.ID)
			}
			if kind == "easily upset" {
				fmt.Fprintln(os.Stderr, "unknown method")
				os.Exit(1)
			}
		case "initialize":
			version := "2025-06-18"
			if kind == "another version" {
				version = "1999-01-01"
			}
			say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%q,"capabilities":{"tools":{}},`+
				`"serverInfo":{"name":"x","version":"1"}}}`,
				req.ID, version)
		case "tools/list":
			list := `[{"name":"echo","description":"it","inputSchema":{"type":"object"}}]`
			next := ""
			switch kind {
			case "two of a name":
				list = `[{"name":"echo","inputSchema":{"type":"object"}},{"name":"echo","inputSchema":{"type":"object"}}]`
			case "pages":
				list = fmt.Sprintf(`[{"name":"echo%s","inputSchema":{"type":"object"}}]`, req.Params.Cursor)
				if len(req.Params.Cursor) < 3 {
					next = req.Params.Cursor + "x"
				}
			case "endless":
				list, next = "[]", "again"
			case "nameless":
				list = `[{"name":"","inputSchema":{"type":"object"}}]`
			case "null":
				list = `[null]`
			}
			if kind == "closes its input" {
				_ = os.Stdin.Close()
			}
			say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":%s,"nextCursor":%q}}`, req.ID, list, next)
			if kind == "closes its input" {
				<-time.After(time.Hour)
			}
		case "tools/call":
			switch kind {
			case "half a line":
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"res`, req.ID)
				os.Exit(0)
			case "invalid":
				say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`+"\xff\xfe"+`"}]}}`, req.ID)
			case "wrong shape":
				say(`{"jsonrpc":"2.0","id":%s,"result":{"content":"text"}}`, req.ID)
			case "unknown content":
				say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"hologram"}]}}`, req.ID)
			case "empty":
				say(`{"jsonrpc":"2.0","id":%s}`, req.ID)
			case "refuses":
				say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"text is too long"}}`, req.ID)
			case "breaks":
				say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":""}}`, req.ID)
			case "asks":
				say(`{"jsonrpc":"2.0","id":77,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`)
				lines.Scan()
				say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}]}}`, req.ID, lines.Text())
			case "batch":
				say(`[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}},`+
					`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"both"}]}}]`, req.ID)
			default:
				say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"fine"}]}}`, req.ID)
			}
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		os.Exit(9)
	}
}
