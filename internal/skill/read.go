package skill

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// Read parses a SKILL.md: front matter between two lines `---`, then the instructions. Problems are added to the
// reader's list with their lines, and the result is then nil. Unknown keys are ignored, because other tools use such
// files too, unless they are similar to known ones or belong elsewhere.
func Read(r *node.Reader, data []byte) *Skill {
	whole := string(data)
	text := strings.ReplaceAll(strings.TrimPrefix(whole, "\ufeff"), "\r\n", "\n")
	switch {
	case len(text) > MaxFile:
		r.Errorf(nil, "file-too-large", "the file has %d KiB; the limit is %d KiB", len(text)>>10, MaxFile>>10)
		return nil
	case !utf8.ValidString(text):
		r.Errorf(nil, "not-utf8", "the file is not UTF-8 text")
		return nil
	}
	front, body, ok := cut(text)
	if !ok {
		noFrontMatter(r, text)
		return nil
	}
	errors := r.Diags.Errors()
	docs := node.Parse(r, []byte("\n"+front)) // an empty line in the place of the first ---: lines count from there
	if len(docs) != 1 || docs[0] == nil {
		if r.Diags.Errors() == errors {
			r.Errorf(nil, "front-matter", "the front matter is empty").Hint = "write name and description into it"
		}
		return nil
	}
	s := &Skill{Text: whole, Instructions: strings.TrimSpace(body), Pos: r.Pos(docs[0])}
	fields(r, docs[0], s)
	if s.Instructions == "" {
		r.Warnf(docs[0], "empty-skill", "the skill has no instructions below its front matter")
	}
	if r.Diags.Errors() > errors {
		return nil
	}
	return s
}

// noFrontMatter says why a file has no front matter.
func noFrontMatter(r *node.Reader, text string) {
	before, rest, _ := strings.Cut(strings.TrimLeft(text, " \t\r\n"), "\n")
	report := func(line int, what, hint string) {
		d := r.Errorf(nil, "front-matter", "%s", what)
		d.Hint = hint
		if line > 0 {
			d.Pos = diag.Pos{File: r.File, Line: int32(line)}
		}
	}
	lead := strings.Count(text[:len(text)-len(strings.TrimLeft(text, " \t\r\n"))], "\n")
	switch {
	case strings.HasPrefix(before, "---\r"):
		report(1, "the lines of the file end in a carriage return alone", "end them with a line feed, as \\n or \\r\\n")
	case strings.TrimRight(before, " \t") != "---":
		report(0, "the file has no front matter", "begin it with a line ---, then name and description, then a line ---")
	case lead > 0 || !strings.HasPrefix(text, "---"):
		report(1, "the front matter does not begin in the first line", "take out what stands before the first line ---")
	default:
		report(1+strings.Count(rest, "\n"), "the front matter is not closed", "put a line --- behind it")
	}
}

// cut takes a text apart into its front matter and what follows.
func cut(text string) (front, body string, ok bool) {
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t") != "---" {
		return "", "", false
	}
	for at := 0; at <= len(rest); {
		line, _, more := strings.Cut(rest[at:], "\n")
		if strings.TrimRight(line, " \t") == "---" {
			return rest[:at], rest[min(at+len(line)+1, len(rest)):], true
		}
		if !more {
			break
		}
		at += len(line) + 1
	}
	return "", "", false
}

// fields reads the known keys of the front matter.
func fields(r *node.Reader, n *node.Node, s *Skill) {
	r.Each(n, "the front matter of a skill", func(key string, k, v *node.Node) {
		switch key {
		case "name":
			s.Name = Name(r, v)
		case "description":
			s.Description = Description(r, v)
		case "allowed-tools":
			s.Tools, s.ToolsPos = tools(r, v), r.Pos(v)
		default:
			doubt(r, k)
		}
	})
	for _, key := range []string{"name", "description"} {
		if n.Kind == node.Map && node.Get(n, key) == nil {
			r.Missing(n, "a skill", key)
		}
	}
}

// others are keys that other tools know, and that resemble none of arena's by mistake.
var others = []string{
	"license", "compatibility", "metadata", "version", "author", "model", "tags", "category", "context", "agent", "hooks",
	"disable-model-invocation", "user-invocable", "argument-hint", "when_to_use",
}

// elsewhere says what to do about keys that mean something in other places.
var elsewhere = map[string]string{
	"tools":        "list them under allowed-tools",
	"preload":      "set it in the config, beside the path of the skills",
	"instructions": "write them below the front matter",
}

// doubt warns of a key that probably should have an effect.
func doubt(r *node.Reader, k *node.Node) {
	hint := elsewhere[k.Value]
	if hint == "" && !slices.Contains(others, k.Value) {
		hint = diag.DidYouMean(k.Value, []string{"name", "description", "allowed-tools"})
	}
	if hint != "" {
		r.Warnf(k, "unknown-field", "%q has no effect in the front matter of a skill", k.Value).Hint = hint
	}
}

// Name reads the name of a skill.
func Name(r *node.Reader, n *node.Node) string {
	name, ok := r.Name(n, "name")
	if ok && !IsName(name) {
		r.Errorf(n, "skill-name", "%q cannot be the name of a skill", name).Hint =
			"use small letters, digits and single hyphens, at most 64 characters: refund-processing"
	}
	return name
}

// Description reads the description of a skill: the model sees it as one line.
func Description(r *node.Reader, n *node.Node) string {
	text, ok := r.String(n, "description")
	text = strings.Join(strings.Fields(text), " ")
	switch length := utf8.RuneCountInString(text); {
	case ok && length == 0:
		r.Errorf(n, "empty-value", "description is empty").Hint = "say when a model needs the skill"
	case length > MaxDescription:
		r.Errorf(n, "too-long", "description has %d characters; the limit is %d", length, MaxDescription)
	}
	return text
}

// tools reads a list of names, or one text with names separated by blanks or commas.
func tools(r *node.Reader, n *node.Node) []string {
	if n.Kind == node.List {
		names, _ := r.Strings(n, "allowed-tools")
		return names
	}
	text, _ := r.String(n, "allowed-tools")
	return strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ' ' || c == '\n' || c == '\t' })
}
