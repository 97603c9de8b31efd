// Package mcptest has MCP servers for tests: good ones, and such as misbehave.
package mcptest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Serve runs a program as a server: a server of the library (good, banner, stubborn, parent), or one that is written by
// hand and misbehaves as its kind says. It may not return. A server of the kind http:FILE listens, and writes where
// into the file.
func Serve(kind string) {
	ctx := context.Background()
	if file, listens := strings.CutPrefix(kind, "http:"); listens {
		listen(file)
		return
	}
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

// listen serves HTTP at an address that it writes into a file.
func listen(file string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		err = os.WriteFile(file, []byte(l.Addr().String()), 0o600)
	}
	if err == nil {
		server := New()
		handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
		err = (&http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Minute}).Serve(l)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
