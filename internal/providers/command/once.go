package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/process"
)

// once starts the program for one reply, which is its output.
func (p *Provider) once(ctx context.Context, req *chat.Request) (chat.Reply, error) {
	input, err := lastMessage(req.Messages)
	if err != nil {
		return chat.Reply{}, err
	}
	c := p.command(ctx, req.Origin.Turn)
	switch {
	case p.Stdin:
		c.Stdin = []byte(input)
	case strings.ContainsRune(input, 0):
		return chat.Reply{}, errors.New("the message holds a NUL character, which no argument can; write input: stdin")
	default:
		c.Args = append(c.Args, input)
	}
	limited, cancel := context.WithTimeoutCause(ctx, p.timeout, overdueError{p.timeout})
	defer cancel()
	out, err := c.Run(limited)
	if errors.Is(err, syscall.E2BIG) {
		err = fmt.Errorf("the message has %d bytes, more than an argument can; write input: stdin", len(input))
	}
	var text string
	if err == nil {
		text, err = printed(out.Stdout)
	}
	if err != nil {
		partial := chat.Reply{Content: string(out.Stdout), Parts: []chat.Part{{Type: "text", Text: string(out.Stderr)}}}
		return partial, process.Ended(c.Path, err, string(out.Stderr))
	}
	return chat.Reply{
		Content: text, Model: p.model, Usage: estimated(len(input), len(text)),
		Unreported: []string{chat.UnreportedModelCalls, chat.UnreportedToolCalls}, // it prints its reply alone
	}, nil
}

// printed is the reply that a program printed: its output without one final line end.
func printed(stdout []byte) (string, error) {
	text := string(chat.WithoutBOM(stdout))
	if cut, ended := strings.CutSuffix(text, "\n"); ended {
		text = strings.TrimSuffix(cut, "\r")
	}
	if strings.TrimSpace(text) == "" {
		return "", errors.New("it printed nothing, which is no reply")
	}
	return text, checkText("its output", text)
}

// lastMessage is the text of the user's message.
func lastMessage(messages []chat.Message) (string, error) {
	for i := len(messages) - 1; i >= 0; i-- {
		m := &messages[i]
		if m.Role != chat.User {
			continue
		}
		for _, part := range m.Parts {
			if part.Media != nil {
				return "", fmt.Errorf("the message has %s, and a program that is started once gets text alone; "+
					"write protocol: lines", article(part.Type))
			}
		}
		return m.Text(), nil
	}
	return "", errors.New("there is no message of a user to answer")
}

// article is a kind of media with its article: "an image".
func article(kind string) string {
	if strings.HasPrefix(kind, "image") || strings.HasPrefix(kind, "audio") {
		return "an " + kind
	}
	return "a " + kind
}
