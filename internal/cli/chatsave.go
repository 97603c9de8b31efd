package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/generate"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// save writes the chat as a scenario that passes at once: the recorded replies are its mock replies.
func (c *chatTalk) save(file string) error {
	if file == "" {
		return errors.New("/save needs a file, such as /save scenarios/refund.yaml")
	}
	switch filepath.Ext(file) {
	case "":
		file += ".yaml"
	case ".yaml", ".yml":
	default:
		return fmt.Errorf("/save %s: a scenario is a file that ends in .yaml", file)
	}
	t := c.chat.Trial()
	if len(t.Turns) == 0 {
		return errors.New("nothing was said yet: there is nothing to save")
	}
	about := c.trial.Scenario
	session := sessionOf(t, c.freeID(file))
	nameFiles(session)
	session.Started, session.Tags, session.Labels = c.app.Now(), about.Tags, about.Labels
	options := generate.Options{TaskType: c.taskType(), Setting: about.Setting(), GuardrailsActive: true}
	again := c.rerunCommand(file, session.ID)
	if composed(t) { // in the project, the mock would need a reply for each step
		options, again = generate.Options{}, "arena run "+shellQuote(file)+" --mock-provider"
	}
	options.Origin = c.origin(again)
	made, err := generate.New(options).Scenario(session)
	if err != nil {
		return broken(err)
	}
	files, err := c.app.scrubbed([]newFile{{file, made.Text}})
	if err != nil {
		return broken(err)
	}
	if err := writeNew(files, c.saved[file], nil); err != nil {
		text, _, _ := strings.Cut(err.Error(), "\n")
		return errors.New(text)
	}
	if c.saved == nil {
		c.saved = map[string]bool{}
	}
	c.saved[file], c.savedTurns = true, len(t.Turns)
	for _, note := range made.Notes {
		c.app.remark("%s", note)
	}
	c.printer.note("saved %s in %s, with assertions to start from: %s", show.Plural(len(t.Turns), "turn"), file, again)
	return nil
}

// rescue saves an unsaved chat that ends with an error, because its replies were paid for. A person at a terminal is
// told instead, and may go on.
func (c *chatTalk) rescue() {
	t := c.chat.Trial()
	if c.app.InTTY || t.Simulated || len(t.Turns) <= c.savedTurns || c.flags.cassettes.Record != "" {
		return
	}
	file := "chat.rescued.yaml"
	for n := 2; exists(file); n++ {
		file = fmt.Sprintf("chat.rescued-%d.yaml", n)
	}
	if err := c.save(file); err != nil {
		c.app.remark("what was said until here is in no file: %v", err)
	}
}

// origin is the comment above a saved chat, with the command that runs it.
func (c *chatTalk) origin(again string) []string {
	lines := []string{
		fmt.Sprintf("Made by arena chat with provider %s. The mock replies are what it said then; the assertions are only to",
			c.trial.Endpoint.Spec.ID), "start from: say there what must be true. With the mock replies it is run by",
		again,
	}
	if composed(c.chat.Trial()) {
		lines = append(lines, "Steps of a composition answered: the mock replies are what came of them, for this file alone.")
	}
	return lines
}

// composed reports whether a composition answered in the chat.
func composed(t *result.Trial) bool {
	return slices.ContainsFunc(t.Turns, func(turn result.Turn) bool { return turn.Composition != nil })
}

// nameFiles writes the paths of attached files as the user gave them, from the working directory.
func nameFiles(s *recording.Session) {
	for i := range s.Messages {
		m := &s.Messages[i]
		if m.Role != chat.User {
			continue
		}
		m.Parts = slices.Clone(m.Parts)
		for k := range m.Parts {
			if part := &m.Parts[k]; part.Media != nil && part.Media.Source != "" {
				part.Media = &chat.Media{Path: part.Media.Source, Local: true, MIMEType: part.Media.MIMEType}
			}
		}
	}
}

// sessionOf returns the chat as a recording, with assertions for each turn.
func sessionOf(t *result.Trial, id string) *recording.Session {
	s := &recording.Session{ID: id, Provider: t.Provider, Model: t.Model, Region: t.Region}
	for i := range t.Turns {
		turn := &t.Turns[i]
		last := -1
		for k := range turn.Messages {
			m := turn.Messages[k]
			if m.Role == chat.System {
				continue
			}
			if m.Role == chat.Assistant {
				last = len(s.Messages)
			}
			s.Messages = append(s.Messages, recording.Message{Message: m, Offset: -1})
		}
		if last >= 0 {
			s.Messages[last].Verdicts = startingPoint(turn)
		}
	}
	return s
}

// startingPoint are assertions that hold of a turn: the same guardrails fire, and the same tools are called or, without
// calls, the reply begins with the same words.
func startingPoint(turn *result.Turn) (list []recording.Verdict) {
	assert := func(kind string, params any) {
		raw, _ := json.Marshal(params) // texts cannot fail to encode
		list = append(list, recording.Verdict{Type: kind, Params: raw, Passed: true})
	}
	for _, name := range fired(turn) {
		assert("guardrail_triggered", map[string]string{"guardrail": name})
	}
	var tools []string
	for i := range turn.ToolCalls {
		if call := &turn.ToolCalls[i]; call.Error == "" && call.Step == "" && !slices.Contains(tools, call.Name) {
			tools = append(tools, call.Name)
		}
	}
	phrase := beginningOf(turn.Assistant)
	switch {
	case len(tools) > 0:
		assert("tools_called", map[string][]string{"tool_names": tools})
	case phrase != "":
		assert("contains", map[string][]string{"patterns": {phrase}})
	}
	return list
}

// fired are the guardrails that fired in a turn, each once.
func fired(turn *result.Turn) (names []string) {
	for i := range turn.Messages {
		for _, v := range turn.Messages[i].Validations {
			if !v.Passed && !slices.Contains(names, v.Type) {
				names = append(names, v.Type)
			}
		}
	}
	return names
}

// mostOfPhrase is the longest asserted start of a reply, in characters.
const mostOfPhrase = 60

// beginningOf is the first sentence of a text, or as many words as fit in mostOfPhrase.
func beginningOf(text string) string {
	for line := range strings.Lines(text) {
		line = firstSentence(strings.TrimSpace(line))
		if line == "" {
			continue
		}
		r := []rune(line)
		if len(r) <= mostOfPhrase {
			return line
		}
		cut := string(r[:mostOfPhrase])
		if at := strings.LastIndexByte(cut, ' '); at > 0 {
			cut = cut[:at]
		}
		return strings.TrimSpace(cut)
	}
	return ""
}

// firstSentence is the first sentence of a line, with at least two words. A dot within a number or an address does not
// end it.
func firstSentence(line string) string {
	for at := range line {
		rest := line[at:]
		behind := strings.TrimLeft(rest, ".!?")
		if behind != rest && (behind == "" || behind[0] == ' ') && strings.Contains(line[:at], " ") {
			return line[:at]
		}
	}
	return line
}
