//go:build unix

package command

import (
	"bufio"
	"errors"
	"io"
	"os/exec"
	"testing"

	"github.com/arena-evals/arena/internal/providers"
)

// BenchmarkPipe is what the system and the program of BenchmarkLines take for a turn.
func BenchmarkPipe(b *testing.B) {
	p := agent(b, byLines, "echo-lines")
	cmd := exec.Command(p.Command[0], p.Command[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for b.Loop() {
		if _, err := io.WriteString(in, `{"type":"turn","trial":"t","index":0,"text":"Where is my order?"}`+"\n"); err != nil {
			b.Fatal(err)
		}
		if _, err := lines.ReadBytes('\n'); err != nil {
			b.Fatal(err)
		}
	}
	if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkLines is a turn of a program that echoes.
func BenchmarkLines(b *testing.B) {
	p, trial := agent(b, byLines, "echo-lines"), &providers.Trial{ID: "t"}
	ctx := providers.InTrial(b.Context(), trial)
	req := ask("Where is my order?")
	for b.Loop() {
		if _, err := p.Complete(ctx, req, nil); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := trial.End(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkOnce is a program that echoes, and BenchmarkFork what the system takes to run it.
func BenchmarkOnce(b *testing.B) {
	p := agent(b, nil, "echo")
	req := ask("Where is my order?")
	for b.Loop() {
		if _, err := p.Complete(b.Context(), req, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFork(b *testing.B) {
	p := agent(b, nil, "echo")
	for b.Loop() {
		if err := exec.Command(p.Command[0], append(p.Command[1:], "hi")...).Run(); err != nil {
			b.Fatal(err)
		}
	}
}
