package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/ellipsis"
	"github.com/arena-evals/arena/internal/generate"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/report/screen"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// capturesIn separates files of arena capture from other paths. A folder that holds captures counts as its captures.
func capturesIn(words []string) (captures, rest []string, err error) {
	for _, word := range words {
		paths := []string{word}
		info, statErr := os.Stat(word)
		switch {
		case statErr == nil && info.IsDir():
			paths, err = filepath.Glob(filepath.Join(globQuoted(word), "*.json"))
		case statErr != nil:
			paths, err = filepath.Glob(word)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", word, err)
		}
		found := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return !isCapture(path) })
		switch {
		case len(found) == 0:
			rest = append(rest, word)
		case len(found) < len(paths):
			return nil, nil, fmt.Errorf("%s names captures and other files\nname the captures by themselves", word)
		default:
			captures = append(captures, found...)
		}
	}
	if len(captures) > 0 && len(rest) > 0 {
		return nil, nil, fmt.Errorf("%s is a capture and %s is none\nmake scenarios of captures by themselves", captures[0],
			rest[0])
	}
	return captures, rest, nil
}

// globQuoted is a path as a pattern that matches it alone.
func globQuoted(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// generateFromCaptures makes a scenario with run_command from each capture.
func (f *generateFlags) generateFromCaptures(app *App, paths []string) error {
	if f.filter != "" || f.check != "" || f.dedup || f.pack != "" || f.taskType != "" || len(f.vars) > 0 {
		return errors.New("captures have no verdicts and no prompt: --filter, --filter-check, --dedup, --pack, --task-type " +
			"and --var do not go with them")
	}
	var names generate.Names
	var files []newFile
	refused := 0
	for _, path := range paths {
		c, err := readCapture(path)
		if err != nil {
			return err
		}
		if why := c.unfit(); why != "" {
			refused++
			app.complain(fmt.Errorf("%s makes no scenario: %s", path, why))
			continue
		}
		id := names.Unique(c.id(), "capture")
		text, err := c.scenario(app, id, path)
		if err != nil {
			return err
		}
		files = append(files, newFile{filepath.Join(f.out, id+".yaml"), text})
	}
	files, err := app.scrubbed(files)
	if err != nil {
		return err
	}
	if f.dryRun {
		err = printFiles(screen.Data(app.Out), files)
	} else {
		err = writeNew(files, f.force, paths)
	}
	if err != nil {
		return err
	}
	for _, file := range files {
		if !f.dryRun {
			if _, err := fmt.Fprintln(app.Out, "wrote", file.path); err != nil {
				return broken(err)
			}
		}
	}
	if refused > 0 {
		return exit(result.ExitError)
	}
	if !f.dryRun {
		_, err = fmt.Fprintf(app.Out, "\nnext: arena run %s\n", shellQuote(f.out))
	}
	return ifBroken(err)
}

// unfit says why no scenario can be made of a capture; "": one can.
func (c *capture) unfit() string {
	switch {
	case c.Ended != endedItself:
		return c.How
	case c.Status == nil || *c.Status != 0:
		return "the program ended with " + c.How + ", which is an error in every run"
	case c.TracesLost != "":
		return "what it told of its work is not whole: " + c.TracesLost
	case c.Bytes != nil || !utf8.ValidString(c.Stdout) || strings.ContainsRune(c.Stdout, 0):
		return "what it printed is no text"
	case strings.TrimSpace(c.Stdout) == "":
		return "it printed nothing, which is no reply"
	case c.CommandChanged:
		return "a secret was taken out of its command; pass it on by --env"
	}
	return ""
}

// scenario is the text of a scenario that expects the captured behaviour.
func (c *capture) scenario(app *App, id, path string) (string, error) {
	root := node.NewMap()
	node.Put(root, "id", node.Str(id))
	node.Put(root, "name", node.Str(ellipsis.Runes(strings.Join(strings.Fields(c.Input), " "), 80)))
	node.Put(root, "source", node.Str("traces"))
	command := node.NewList()
	for _, word := range c.Command {
		command.Content = append(command.Content, node.Str(scenario.AsItStands(word)))
	}
	node.Put(root, "run_command", command)
	node.Put(root, "input", node.Str(scenario.AsItStands(c.Input)))
	if len(c.Env) > 0 {
		env := node.NewMap()
		for _, name := range c.Env {
			node.Put(env, name, node.Str("${"+name+"}"))
		}
		node.Put(root, "env_overrides", env)
	}
	checks := node.NewList()
	if c.SecretsRemoved {
		app.remark("%s: secrets were taken out, so no check holds the words", path)
	} else if words := c.firstWords(); words == "" {
		app.remark("%s: what it printed is control characters alone, so no check holds the words", path)
	} else {
		checks.Content = append(checks.Content, checkOf("output_contains", jsonvalue.Object{"value": words}))
	}
	checks.Content = append(checks.Content, c.workChecks()...)
	if len(checks.Content) == 0 {
		return "", fmt.Errorf("%s: nothing is left to check\nadd checks by hand", path)
	}
	node.Put(root, "checks", checks)
	text, err := node.Text(root)
	if err != nil {
		return "", err
	}
	return "# Made by arena generate from what the program did once. " +
		"Loosen what need not be the same each time.\n" + text, nil
}

func checkOf(name string, params jsonvalue.Object) *node.Node {
	check := node.NewMap()
	node.Put(check, "type", node.Str(name))
	node.Put(check, "params", node.FromJSON(generate.EscapeBraces(params)))
	return check
}

// firstWords is the text that the reply must contain: the longest part without control characters of the first line
// with words; "": none.
func (c *capture) firstWords() string {
	for line := range strings.Lines(c.Stdout) {
		longest := ""
		for part := range strings.FieldsFuncSeq(withoutColors(line), unicode.IsControl) {
			if part = strings.TrimSpace(part); len(part) > len(longest) {
				longest = part
			}
		}
		if runes := []rune(longest); len(runes) > 0 {
			return strings.TrimSpace(string(runes[:min(len(runes), 200)]))
		}
	}
	return ""
}

// colors are the sequences by which terminals are told to write otherwise.
var colors = regexp.MustCompile(`\x1b\[[0-9;:?]*[ -/]*[@-~]`)

// withoutColors replaces colour sequences with a separator.
func withoutColors(text string) string { return colors.ReplaceAllString(text, "\x1b") }

// workChecks expect what the spans show: the calls of tools in their order, and the number of model calls.
func (c *capture) workChecks() (checks []*node.Node) {
	if len(c.Calls) > 0 {
		steps, whole := []any{}, true
		for _, call := range c.Calls {
			step := jsonvalue.Object{"tool": call.Name}
			var args jsonvalue.Object
			dec := json.NewDecoder(bytes.NewReader([]byte(call.Args)))
			dec.UseNumber()
			if dec.Decode(&args) == nil && args != nil {
				step["args"] = args
			} else if strings.TrimSpace(call.Args) != "" {
				whole = false
			}
			steps = append(steps, step)
		}
		params := jsonvalue.Object{"steps": steps}
		if !whole {
			params["args"] = "ignore"
		}
		checks = append(checks, checkOf("trajectory", params))
	}
	if c.Models > 0 {
		checks = append(checks, checkOf("max_turns", jsonvalue.Object{"max": json.Number(fmt.Sprint(c.Models))}))
	}
	return checks
}
