package mcp

import (
	"os"
	"os/exec"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// BenchmarkCall is a call of a tool over pipes, as trials make it: 1.5 times BenchmarkLibrary at most.
func BenchmarkCall(b *testing.B) {
	box := boxOf(b, program(b, "good"))
	box.listed(b)
	for b.Loop() {
		if got := came(box.Call(b.Context(), callOf("echo"))); got != "" {
			b.Fatal(got)
		}
	}
}

// BenchmarkLibrary is the same call by the library alone.
func BenchmarkLibrary(b *testing.B) {
	spec := program(b, "good")
	cmd := exec.Command(spec.Command)
	cmd.Env = append(os.Environ(), spec.Env...)
	client := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil)
	session, err := client.Connect(b.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer session.Close()
	for b.Loop() {
		_, err := session.CallTool(b.Context(), &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"text": ""}})
		if err != nil {
			b.Fatal(err)
		}
	}
}
