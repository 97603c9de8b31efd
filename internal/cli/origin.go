package cli

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// origin is the setting that gave a flag its value.
type origin struct {
	variable string     // "": the value is in .arena.yaml
	key      string     // in .arena.yaml
	value    *node.Node // in .arena.yaml, or the text of the variable
	reader   *node.Reader
}

// name is the name of the setting in messages.
func (o *origin) name() string {
	if o.variable != "" {
		return o.variable
	}
	return o.key
}

// inMessage is the name in the middle of a message.
func (o *origin) inMessage() string {
	if o.variable != "" {
		return o.variable
	}
	return o.key + " (" + o.reader.Pos(o.value).String() + ")"
}

// leaveOut says how to remove the setting.
func (o *origin) leaveOut() string {
	if o.variable != "" {
		return "unset the variable"
	}
	return "take the line out"
}

// culprit is the item that a message quotes, if the value is a list.
func (o *origin) culprit(msg string) *node.Node {
	if o.value.Kind == node.List {
		for _, item := range o.value.Content {
			if strings.Contains(msg, strconv.Quote(item.Value)) {
				return item
			}
		}
	}
	return o.value
}

// pathSettings are the settings that name a file or a folder. A message about the file need not name the flag.
var pathSettings = []string{
	"config", "out", "html-file", "junit-file", "markdown-file", "events", "metrics-file", "record", "cache",
}

// blame rewrites a message about a flag that nobody typed: it names the variable, or the line of .arena.yaml. Such a
// line becomes the position of the diagnostic.
func (a *App) blame(d diag.Diagnostic) diag.Diagnostic {
	if len(a.origins) == 0 {
		return d
	}
	var first *origin
	d.Msg, first = a.renameFlags(d.Msg)
	if first == nil && d.Pos.File == "" {
		if first = a.pathOrigin(d.Msg); first != nil {
			d.Msg = first.name() + ": " + d.Msg
		}
	}
	if first == nil {
		return d
	}
	d.Msg = strings.Replace(d.Msg, "leave the flag out", first.leaveOut(), 1)
	if first.variable == "" && d.Pos.File == "" {
		at := node.Reader{File: first.reader.File, Diags: &diag.List{}}
		where := at.Errorf(first.culprit(d.Msg), "", "")
		d.Pos, d.Width = where.Pos, where.Width
	}
	return d
}

// renameFlags replaces flags in a message by the names of their settings. first is the setting at the start of the
// message.
func (a *App) renameFlags(msg string) (text string, first *origin) {
	var b strings.Builder
	done := 0
	for _, at := range regexp.MustCompile(`--[a-z][a-z-]*[a-z]`).FindAllStringIndex(msg, -1) {
		o := a.origins[canonical(msg[at[0]+2:at[1]])]
		if o == nil || strings.Count(msg[:at[0]], `"`)%2 == 1 { // part of a quoted value
			continue
		}
		b.WriteString(msg[done:at[0]])
		if done = at[1]; at[0] == 0 {
			first = o
			b.WriteString(o.name())
		} else {
			b.WriteString(o.inMessage())
		}
	}
	return b.String() + msg[done:], first
}

// pathOrigin is the setting that names the file in a message.
func (a *App) pathOrigin(msg string) *origin {
	for _, flag := range pathSettings {
		o := a.origins[flag]
		if o == nil || o.value.Value == "" {
			continue
		}
		words := strings.FieldsFunc(msg, func(r rune) bool { return r == ' ' || r == '"' || r == ',' })
		if slices.ContainsFunc(words, func(word string) bool { return strings.TrimSuffix(word, ":") == o.value.Value }) {
			return o
		}
	}
	return nil
}
