//go:build unix

package exec

import (
	"bytes"
	"os/exec"
	"testing"
	"time"
)

// BenchmarkOneShot holds a call of a program against what starting it and reading its answer cost by themselves. The
// figure over-ms is what a call costs more, in milliseconds: it is to be 1 at most.
func BenchmarkOneShot(b *testing.B) {
	const program = `cat >/dev/null; echo '{"result": "ok"}'`
	tool := toolOf(b, program, nil)
	var bare, called time.Duration
	for b.Loop() {
		began := time.Now()
		cmd := exec.CommandContext(b.Context(), "./probe.sh")
		cmd.Dir, cmd.Stdin = tool.dir, bytes.NewReader([]byte("{\"args\":{}}\n"))
		if out, err := cmd.Output(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		between := time.Now()
		if got := describe(tool.call(b, `{}`)); got != "ok" {
			b.Fatal(got)
		}
		bare, called = bare+between.Sub(began), called+time.Since(between)
	}
	b.ReportMetric(float64(called-bare)/float64(b.N)/float64(time.Millisecond), "over-ms")
}

// BenchmarkServer is a call of a program that keeps running.
func BenchmarkServer(b *testing.B) {
	tool := toolOf(b, stays+answers(`"ok"`)+`done`, keepsRunning)
	for b.Loop() {
		if got := describe(tool.call(b, `{}`)); got != "ok" {
			b.Fatal(got)
		}
	}
}
