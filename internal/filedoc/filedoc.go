// Package filedoc writes the reference of the files that people write, as Markdown: for each kind of file a text, an
// example and every key, from the tables by which the files are read.
package filedoc

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/scenario"
)

// The introductions precede the tables, and have the examples.
//
//go:embed intro/*.md
var intros embed.FS

// Page is one page of the reference.
type Page struct {
	Name  string // of its file, without .md
	About string // what the file is for, in one line
	// Kind is the kind of file that the page describes, completely or in part.
	Kind string
	// Part is the key of the described part; "": the page describes the whole file.
	Part string
	// Others are further keys of the file whose values the page describes.
	Others []string
}

// Pages lists the pages in the order in which one reads them: the files of every project first.
func Pages() []Page {
	parts := map[string]Page{
		"check":       {About: "a check as an assertion: what must hold", Kind: "scenario", Part: "conversation_assertions"},
		"prompt-eval": {About: "an eval: a check that measures what a prompt brings about", Kind: "prompt", Part: "evals"},
		"judge": {
			About: "a model that grades for checks", Kind: "arena", Part: "judges",
			Others: []string{"judge_specs", "judge_defaults"},
		},
		"mcp":         {About: "a server whose tools are offered, over MCP", Kind: "arena", Part: "mcp_servers"},
		"a2a":         {About: "another agent, whose skills are tools", Kind: "arena", Part: "a2a_agents"},
		"skill":       {About: "instructions that an agent takes up when it needs them", Kind: "arena", Part: "skills"},
		"workflow":    {About: "the states through which a conversation goes", Kind: "arena", Part: "workflow"},
		"composition": {About: "the steps by which a state answers", Kind: "arena", Part: "compositions"},
	}
	order := []string{
		"arena", "scenario", "program", "check", "prompt", "prompt-eval", "provider", "tool", "mock", "judge", "eval", "pack",
		"persona", "runtime", "mcp", "a2a", "skill", "workflow", "composition", "fragment", "logging",
	}
	kinds := scenario.FileKinds()
	var list []Page
	for _, name := range order {
		p, isPart := parts[name]
		p.Name = name
		if !isPart {
			i := slices.IndexFunc(kinds, func(k scenario.FileKind) bool { return k.Name == name })
			p.Kind, p.About = name, kinds[i].About
		}
		list = append(list, p)
	}
	return list
}

// Text returns a page as Markdown; "": there is no such page.
func Text(name string) (string, error) {
	b := newBook()
	for _, p := range Pages() {
		text, err := b.page(&p)
		if err != nil || p.Name == name {
			return text, err
		}
	}
	return "", nil
}

// All is every page by its name.
func All() (map[string]string, error) {
	b, all := newBook(), map[string]string{}
	for _, p := range Pages() {
		text, err := b.page(&p)
		if err != nil {
			return nil, err
		}
		all[p.Name] = text
	}
	return all, nil
}

// section is where a table is described.
type section struct {
	page, heading string
	in            []string // the keys under which the table stands, with the headings of their tables
}

// book writes each table of keys once: on the first page that has it.
type book struct {
	sections map[keys.Table]*section
	taken    map[string]map[string]bool // headings by page
	roots    map[string][]keys.Table    // by page
}

func newBook() *book {
	b := &book{
		sections: map[keys.Table]*section{}, taken: map[string]map[string]bool{}, roots: map[string][]keys.Table{},
	}
	pages, kinds := Pages(), map[string]keys.Table{}
	for _, k := range scenario.FileKinds() {
		kinds[k.Name] = k.Keys
	}
	for i := range pages { // before the tables within them: they have the better headings
		p := &pages[i]
		roots := []keys.Table{kinds[p.Kind]}
		if p.Part != "" {
			roots = nil
			for _, key := range append([]string{p.Part}, p.Others...) {
				roots = append(roots, tableIn(keys.Find(key, kinds[p.Kind].Keys()).Shape))
			}
		}
		b.roots[p.Name] = roots
		for _, t := range roots {
			b.claim(t, p.Name, t.Title())
		}
	}
	for i := range pages {
		for _, t := range b.roots[pages[i].Name] {
			b.within(t, pages[i].Name)
		}
		if pages[i].Name == "provider" {
			b.settings(func(t keys.Table, types []string) {
				b.claim(t, "provider", "additional_config of "+types[0])
				b.within(t, "provider")
			})
		}
	}
	return b
}

// tableIn is the table of keys in a list or a map, or the shape itself.
func tableIn(s keys.Shape) keys.Table {
	switch s := s.(type) {
	case keys.Table:
		return s
	case keys.List:
		return tableIn(s.Item)
	case keys.Map:
		return tableIn(s.Value)
	}
	return nil
}

// claim gives a table its place.
func (b *book) claim(t keys.Table, page, title string) {
	for _, article := range []string{"a ", "an ", "the "} {
		title = strings.TrimPrefix(title, article)
	}
	title = strings.TrimPrefix(title, "kind ")
	if b.taken[page] == nil {
		b.taken[page] = map[string]bool{}
	}
	name := title
	for i := 2; b.taken[page][name]; i++ {
		name = fmt.Sprintf("%s %d", title, i)
	}
	b.taken[page][name] = true
	b.sections[t] = &section{page: page, heading: name}
}

// within claims the nested tables of a table, and notes their positions.
func (b *book) within(t keys.Table, page string) {
	for _, k := range t.Keys() {
		below := tableIn(k.Shape)
		if below == nil || k.Idle != "" || k.Later != "" { // the keys of what does nothing are of no use
			continue
		}
		known := b.sections[below] != nil
		if !known {
			title := below.Title()
			if b.taken[page][strings.TrimPrefix(strings.TrimPrefix(title, "a "), "an ")] {
				title += " of " + b.sections[t].heading
			}
			b.claim(below, page, title)
		}
		s := b.sections[below]
		s.in = append(s.in, "`"+k.Name+"` of "+b.link(t, s.page))
		if !known {
			b.within(below, page)
		}
	}
}

// link leads from a page to the section of a table.
func (b *book) link(t keys.Table, from string) string {
	s := b.sections[t]
	file := ""
	if s.page != from {
		file = s.page + ".md"
	}
	return fmt.Sprintf("[%s](%s#%s)", s.heading, file, anchor(s.heading))
}

// anchor is how a heading is linked to.
func anchor(heading string) string { return strings.ReplaceAll(strings.ToLower(heading), " ", "-") }

// settings calls f for what may stand under additional_config of a provider, with the types that have it.
func (b *book) settings(f func(t keys.Table, types []string)) {
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
		f(of, types[of])
	}
}
