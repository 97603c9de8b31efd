package grading

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
)

// Exhibit is a piece of what a judge looks at. The name is ours, every letter of it; the text is whatever the agent, a
// tool or a user wrote.
type Exhibit struct{ Name, Text string }

// Show makes an exhibit.
func Show(name, text string) Exhibit { return Exhibit{name, text} }

// question builds the messages from the criteria and the exhibits. Each exhibit is between markers with a key that
// occurs in no exhibit, so that no text can end its exhibit, begin another one or pose as an instruction.
func (g *Grader) question(prompts *Prompts, exhibits []Exhibit) (Question, error) {
	system, err := g.systemText(prompts)
	if err != nil {
		return Question{}, err
	}
	var b strings.Builder
	section(&b, "CRITERIA", g.Criteria)
	section(&b, "RUBRIC", g.Rubric)
	writeMaterial(&b, exhibits)
	b.WriteString(g.Form.close)
	return Question{
		Messages: []chat.Message{
			{Role: chat.System, Content: system},
			{Role: chat.User, Content: b.String()},
		},
		Schema: json.RawMessage(g.Form.schema), Extra: g.Extra, Criteria: g.Criteria, Rubric: g.Rubric, material: exhibits,
	}, nil
}

func section(b *strings.Builder, title, text string) {
	if text != "" {
		fmt.Fprintf(b, "%s\n%s\n\n", title, strings.TrimSpace(text))
	}
}

func writeMaterial(b *strings.Builder, exhibits []Exhibit) {
	for i := range exhibits {
		exhibits[i].Text = disarmed(exhibits[i].Text)
	}
	key := keyOf(exhibits)
	fmt.Fprintf(b, materialText, key)
	for _, p := range exhibits {
		name := p.Name
		if strings.TrimSpace(p.Text) == "" {
			name += " (empty)"
		}
		fmt.Fprintf(b, "=== %s %s ===\n%s\n", key, name, p.Text)
	}
	fmt.Fprintf(b, "=== %s end ===\n\n", key)
}

// keyOf derives a key from the exhibits that occurs in none of them.
func keyOf(exhibits []Exhibit) string {
	h := sha256.New()
	for {
		for _, p := range exhibits {
			_, _ = fmt.Fprintf(h, "%d\n%s", len(p.Text), p.Text) // a hash takes everything
		}
		key := hex.EncodeToString(h.Sum(nil)[:8])
		if !mentions(exhibits, key) {
			return key
		}
	}
}

func mentions(exhibits []Exhibit, key string) bool {
	for _, p := range exhibits {
		if strings.Contains(p.Text, key) {
			return true
		}
	}
	return false
}

// disarmed is a text in which control tokens of chat templates are rewritten: many open servers read <|im_start|>system
// as the start of a message wherever it occurs.
func disarmed(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if !slices.ContainsFunc(chatTokenParts, func(part string) bool { return strings.Contains(text, part) }) {
		return text
	}
	return chatTokens().ReplaceAllStringFunc(text, func(token string) string { return token[:1] + `\` + token[1:] })
}

// chatTokenParts are parts of chat tokens: every token contains one, and they are faster to find.
var chatTokenParts = []string{"|>", "｜>", "_of_turn>", "INST]", "SYS>>"}

var chatTokens = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`<[|｜][^\s<>|｜]{1,40}[|｜]>|<(?:start|end)_of_turn>|\[/?INST\]|<</?SYS>>`)
})
