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

// save writes the chat as a scenario that is green at once: what was said then answers in it.
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
	session := sessionOf(t, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
	session.Started = c.app.Now()
	made, err := generate.New(generate.Options{Origin: c.origin()}).Scenario(session)
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
	c.saved[file] = true
	for _, note := range made.Notes {
		c.app.remark("%s", note)
	}
	c.tells.note("saved %s in %s, with an assertion each to start from: arena run %s", show.Plural(len(t.Turns), "turn"),
		file, shellQuote(file))
	return nil
}

// origin is the comment above a saved chat.
func (c *chatTalk) origin() []string {
	spec := c.trial.Endpoint.Spec
	lines := []string{
		fmt.Sprintf("Made by arena chat with provider %s. The mock replies are what it said then; the assertions are only to",
			spec.ID), "start from: say there what must be true.",
	}
	if prompt := c.trial.Prompt; prompt != nil {
		lines = append(lines,
			"Alone it has no prompt and no tools. To test the agent with it, list it in the config, and write",
			"task_type: "+prompt.TaskType)
	}
	return lines
}

// sessionOf is a chat as a recording, with what is asserted of each turn.
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

// startingPoint is an assertion that holds of a turn: that the same tools are called, or that the reply says how it
// began.
func startingPoint(turn *result.Turn) []recording.Verdict {
	var tools []string
	for i := range turn.ToolCalls {
		if call := &turn.ToolCalls[i]; call.Error == "" && call.Step == "" && !slices.Contains(tools, call.Name) {
			tools = append(tools, call.Name)
		}
	}
	kind, params := "tools_called", map[string]any{"tool_names": tools}
	if len(tools) == 0 {
		phrase := beginningOf(turn.Assistant)
		if phrase == "" {
			return nil
		}
		kind, params = "contains", map[string]any{"patterns": []string{phrase}}
	}
	raw, _ := json.Marshal(params) // texts alone
	return []recording.Verdict{{Type: kind, Params: raw, Passed: true}}
}

// mostOfPhrase is the length of what is asserted of a reply, in characters.
const mostOfPhrase = 60

// beginningOf is the first sentence of a text, or as many of its words as a line takes.
func beginningOf(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if end := strings.IndexAny(line, ".!?"); end > 0 && strings.Contains(line[:end], " ") {
			line = line[:end]
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
