package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/scenario"
)

const filesOpening = `# Files

<!-- Written by ´make generate´ from internal/scenario. Changes made here are lost. -->

Every key that may stand in the files of a project, what its value is, and what it means. A key that nobody knows is an
error with the nearest name, and one that has no effect is told. ´arena schema KIND´ prints the JSON Schema of a kind of
file, with which editors complete and check while you type.

Most files have an envelope: ´kind´ says what the file is, ´metadata´ how it is called, and the keys below stand under
´spec´. The same keys may also stand by themselves, as other tools write them.

´´´yaml
apiVersion: promptkit.altairalabs.ai/v1alpha1
kind: Scenario
metadata:
  name: refund
  labels: {team: support}
spec:
  task_type: support
  turns: [{role: user, content: Where is my refund?}]
´´´

Several documents in one YAML file are as many files. Paths start from the folder of the file that names them. Text may
be written as a number or as true and false, which are then read as they are written. A time span is a number with a
unit, such as ´90s´, ´1m30s´ or ´250ms´. Where a list of text is wanted, a single text stands for a list of it.

`

// filesPage is the reference of the keys of files, as Markdown.
func filesPage() (string, error) {
	p := &keysPage{headings: map[keys.Table]string{}, taken: map[string]bool{}}
	p.WriteString(ticks(filesOpening))
	kinds := scenario.FileKinds()
	for _, k := range kinds {
		p.headings[k.Keys] = p.heading("kind "+k.Name, "")
		p.printf("- [%s](#%s): %s\n", k.Name, anchor(p.headings[k.Keys]), escaped(k.About))
	}
	for _, k := range kinds {
		p.printf("\n## %s\n\n%s%s.", p.headings[k.Keys], strings.ToUpper(k.About[:1]), escaped(k.About[1:]))
		if k.Kind != "" {
			p.printf(" With an envelope: `kind: %s`.", k.Kind)
		}
		p.WriteString("\n")
		p.table(k.Keys)
		if k.Name == "provider" {
			p.settings()
		}
	}
	return p.String(), nil
}

// keysPage writes each table of keys once, behind the first one that has it.
type keysPage struct {
	strings.Builder
	headings map[keys.Table]string
	taken    map[string]bool
	waiting  []keys.Table // found in the present rows
}

func (p *keysPage) printf(format string, args ...any) { p.WriteString(fmt.Sprintf(format, args...)) }

// settings writes what may stand under additional_config of a provider.
func (p *keysPage) settings() {
	types := map[keys.Table][]string{}
	var order []keys.Table
	for _, t := range scenario.ProviderTypes() {
		of := t.Settings()
		if of == nil {
			continue
		}
		if types[of] == nil {
			order = append(order, of)
		}
		types[of] = append(types[of], t.Word)
	}
	for _, of := range order {
		p.headings[of] = p.heading("additional_config of "+types[of][0], "")
		p.printf("\n### %s\n\nOf providers of type %s.\n", p.headings[of], code(types[of]))
		p.table(of)
	}
}

// table writes the keys of a table, and the tables within it that are not there yet.
func (p *keysPage) table(t keys.Table) {
	within := p.waiting
	p.waiting = nil
	p.rows(t)
	found := p.waiting
	p.waiting = within
	for _, next := range found {
		p.printf("\n### %s\n", p.headings[next])
		p.table(next)
	}
}

func (p *keysPage) rows(t keys.Table) {
	p.WriteString("\n| Key | Value | Default | Meaning |\n|---|---|---|---|\n")
	for _, k := range t.Keys() {
		preset := ""
		switch {
		case k.Required:
			preset = "required"
		case k.Default != "":
			preset = code([]string{k.Default})
		}
		value := escaped(k.Shape.Label())
		if k.Idle == "" && k.Later == "" { // the keys of what does nothing are of no use
			value = p.value(k.Shape, p.headings[t])
		}
		p.printf("| `%s` | %s | %s | %s |\n", k.Name, value, preset, meaning(k))
	}
	if t.Open() {
		p.WriteString("\nOther keys may stand beside them.\n")
	}
}

func meaning(k *keys.Key) string {
	return strings.ReplaceAll(escaped(k.About()), "\\`", "`")
}

// value describes a shape. Maps with keys of their own are a link to these.
func (p *keysPage) value(s keys.Shape, within string) string {
	switch s := s.(type) {
	case keys.Table:
		title := p.headings[s]
		if title == "" {
			title = p.heading(s.Title(), within)
			p.headings[s] = title
			p.waiting = append(p.waiting, s)
		}
		return fmt.Sprintf("[%s](#%s)", title, anchor(title))
	case keys.List:
		return "list of " + p.value(s.Item, within)
	case keys.Map:
		return "map to " + p.value(s.Value, within)
	case keys.Words:
		return code(slices.DeleteFunc(slices.Clone(s), func(w string) bool { return w == "" }))
	case keys.Number:
		return s.Label() + bounds(s)
	}
	return escaped(s.Label())
}

// bounds are those of a number. What a computer cannot count is none.
func bounds(n keys.Number) string {
	low, high := n.Low > math.MinInt32, n.High < math.MaxInt32
	text := func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
	switch {
	case n.Above && high:
		return " above " + text(n.Low) + ", up to " + text(n.High)
	case n.Above:
		return " above " + text(n.Low)
	case low && high:
		return " from " + text(n.Low) + " to " + text(n.High)
	case low && n.Low != 0:
		return " from " + text(n.Low)
	}
	return ""
}

// heading makes a heading that no other section has.
func (p *keysPage) heading(title, within string) string {
	for _, article := range []string{"a ", "an ", "the "} {
		title = strings.TrimPrefix(title, article)
	}
	title = strings.TrimPrefix(title, "kind ")
	name := title
	if p.taken[name] {
		name = title + " of " + within
	}
	for i := 2; p.taken[name]; i++ {
		name = fmt.Sprintf("%s of %s %d", title, within, i)
	}
	p.taken[name] = true
	return name
}

// anchor is how a heading is linked to.
func anchor(heading string) string { return strings.ReplaceAll(strings.ToLower(heading), " ", "-") }
