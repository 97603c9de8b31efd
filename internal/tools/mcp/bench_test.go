package mcp

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// BenchmarkCall is a call of a tool over pipes, as trials make it: 1.5 times BenchmarkLibrary at most.
func BenchmarkCall(b *testing.B) {
	box := boxOf(b, program(b, "good"))
	box.listed(b)
	for b.Loop() {
		if got := describe(box.Call(b.Context(), callOf("echo"))); got != "" {
			b.Fatal(got)
		}
	}
}

// BenchmarkLibrary is the same call by the library alone.
func BenchmarkLibrary(b *testing.B) {
	call := libraryOf(b)
	for b.Loop() {
		if err := call("echo"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSlowLibrary makes 500 calls, 50 at once, of a tool that takes 20 ms, by the library alone. The figure x-ideal
// is the time as a multiple of what the tool alone takes: how far the library and its server let a run of trials come
// near to 1 on this machine (BenchmarkSlowTools of internal/cli).
func BenchmarkSlowLibrary(b *testing.B) {
	const calls, jobs, takes = 500, 50, 20 * time.Millisecond
	call := libraryOf(b)
	var spent time.Duration
	for b.Loop() {
		began := time.Now()
		var left atomic.Int32
		left.Store(calls)
		var all sync.WaitGroup
		for range jobs {
			all.Go(func() {
				for left.Add(-1) >= 0 {
					if err := call("slow"); err != nil {
						b.Error(err)
					}
				}
			})
		}
		all.Wait()
		spent += time.Since(began)
	}
	b.ReportMetric(float64(spent)/float64(b.N)/float64(calls/jobs*takes), "x-ideal")
}

// libraryOf starts a server by the library alone, and returns how to call its tools.
func libraryOf(b *testing.B) func(tool string) error {
	b.Helper()
	spec := program(b, "good")
	cmd := exec.Command(spec.Command)
	cmd.Env = append(os.Environ(), spec.Env...)
	client := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil)
	session, err := client.Connect(b.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = session.Close() }) // the figures stand
	return func(tool string) error {
		_, err := session.CallTool(b.Context(), &sdk.CallToolParams{Name: tool, Arguments: map[string]any{"text": ""}})
		return err
	}
}

// BenchmarkInFlight measures what a trial that waits for a tool of a shared server takes of memory, in bytes, beside
// its conversation: 16 KiB at most.
func BenchmarkInFlight(b *testing.B) {
	const trials = 500
	box := boxOf(b, program(b, "good"))
	list := box.listed(b)
	for b.Loop() {
		ctx, cancel := context.WithCancel(b.Context())
		var all sync.WaitGroup
		var calling atomic.Int32
		before := inUse()
		for range trials {
			all.Go(func() {
				own := box.kit.Box("")
				if _, err := own.Take(box.opener, list); err != nil {
					b.Error(err)
				}
				calling.Add(1)
				own.Call(ctx, callOf("wait"))
				if err := own.Close(); err != nil {
					b.Error(err)
				}
			})
		}
		for calling.Load() < trials {
			runtime.Gosched()
		}
		if got := describe(box.Call(b.Context(), callOf("echo"))); got != "" { // behind those that wait
			b.Fatal(got)
		}
		b.ReportMetric(float64(inUse()-before)/trials, "B/trial")
		cancel()
		all.Wait()
	}
}

// inUse is what the process holds of heap and stacks, in bytes.
func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
