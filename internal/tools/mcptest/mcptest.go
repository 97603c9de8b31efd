// Package mcptest has MCP servers for tests: good ones, and such as misbehave.
package mcptest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Serve runs a program as a server: a server of the library (good, banner, stubborn, parent), or one that is written by
// hand and misbehaves as its kind says. It may not return.
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
