package cli

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// origin is where the value of a flag stands that nobody typed.
type origin struct {
	variable string     // "": it is in .arena.yaml
	key      string     // there
	value    *node.Node // there; of a variable its text
	reader   *node.Reader
}

// name is how messages call the setting.
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

// leaveOut is how the setting is taken back.
func (o *origin) leaveOut() string {
	if o.variable != "" {
		return "unset the variable"
	}
	return "take the line out"
}

// culprit is what a message quotes of the value, where that is one of a list.
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

// ofPaths are the settings that name a file or a folder. A message about the file need not name the flag.
var ofPaths = []string{
	"config", "out", "html-file", "junit-file", "markdown-file", "events", "metrics-file", "record", "cache",
}

// blame words a message for whoever made a setting: flags that nobody typed are called by the variable or by the line
// of .arena.yaml. The diagnostic has its position when the message is about such a line.
func (a *App) blame(d diag.Diagnostic) diag.Diagnostic {
	if len(a.origins) == 0 {
		return d
	}
	var first *origin
	d.Msg, first = a.renameFlags(d.Msg)
	if first == nil && d.Pos.File == "" {
		if first = a.ofPath(d.Msg); first != nil {
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

// renameFlags puts the names of settings in the place of flags. first is the setting that the message begins with.
func (a *App) renameFlags(msg string) (text string, first *origin) {
	var b strings.Builder
	done := 0
	for _, at := range regexp.MustCompile(`--[a-z][a-z-]*[a-z]`).FindAllStringIndex(msg, -1) {
		o := a.origins[canonical(msg[at[0]+2:at[1]])]
		if o == nil || strings.Count(msg[:at[0]], `"`)%2 == 1 { // of somebody's text
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

// ofPath is the setting that names the file of which a message speaks.
func (a *App) ofPath(msg string) *origin {
	for _, flag := range ofPaths {
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
