package filedoc

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/scenario"
)

// page writes one page: its introduction, then its tables.
func (b *book) page(p *Page) (string, error) {
	intro, err := intros.ReadFile("intro/" + p.Name + ".md")
	if err != nil {
		return "", err
	}
	var w strings.Builder
	title, rest, _ := strings.Cut(strings.ReplaceAll(string(intro), "\r\n", "\n"), "\n")
	const made = "<!-- Written by `make generate` from internal/filedoc and internal/scenario. -->"
	fmt.Fprintf(&w, "%s\n\n%s\n%s", title, made, rest)
	b.places(&w, p)
	done := map[keys.Table]bool{}
	for _, t := range b.roots[p.Name] {
		b.section(&w, t, p.Name, done)
	}
	if p.Name == "provider" {
		b.settings(func(t keys.Table, types []string) {
			if !done[t] {
				b.section(&w, t, p.Name, done)
			}
		})
	}
	return w.String(), nil
}

// places says where the described part may be.
func (b *book) places(w *strings.Builder, p *Page) {
	w.WriteString("\n## Where it stands\n\n")
	if p.Part != "" {
		kind := b.roots[p.Kind][0]
		all := append([]string{p.Part}, p.Others...)
		fmt.Fprintf(w, "Under %s of %s.\n", code(all), b.link(kind, p.Name))
		return
	}
	i := slices.IndexFunc(scenario.FileKinds(), func(k scenario.FileKind) bool { return k.Name == p.Name })
	k := scenario.FileKinds()[i]
	if k.Kind != "" {
		fmt.Fprintf(w, "In a file of its own. With an envelope: `kind: %s`, and the keys below under `spec`; without\n"+
			"one, the keys by themselves. ", k.Kind)
	} else {
		w.WriteString("In a file of its own, without an envelope. ")
	}
	fmt.Fprintf(w, "`arena schema %s` prints its JSON Schema.\n", p.Name)
}

// section writes the keys of a table, and those of the tables within it that belong to the page.
func (b *book) section(w *strings.Builder, t keys.Table, page string, done map[keys.Table]bool) {
	done[t] = true
	s := b.sections[t]
	fmt.Fprintf(w, "\n## %s\n", s.heading)
	b.stands(w, t, s)
	w.WriteString("\n| Key | Value | Default | Meaning |\n|---|---|---|---|\n")
	for _, k := range t.Keys() {
		preset := ""
		switch {
		case k.Required:
			preset = "required"
		case k.Default != "":
			preset = code([]string{k.Default})
		}
		value := escaped(k.Shape.Label())
		if k.Idle == "" && k.Later == "" {
			value = b.value(k.Shape, page)
		}
		fmt.Fprintf(w, "| `%s` | %s | %s | %s |\n", k.Name, value, preset, meaning(k))
	}
	if t.Open() {
		w.WriteString("\nOther keys may stand beside them.\n")
	}
	for _, k := range t.Keys() {
		below := tableIn(k.Shape)
		if below != nil && b.sections[below] != nil && b.sections[below].page == page && !done[below] &&
			!slices.Contains(b.roots[page], below) && k.Idle == "" && k.Later == "" {
			b.section(w, below, page, done)
		}
	}
}

// stands says under which keys a table may be.
func (b *book) stands(w *strings.Builder, t keys.Table, s *section) {
	var types []string
	b.settings(func(of keys.Table, of2 []string) {
		if of == t {
			types = of2
		}
	})
	switch {
	case types != nil:
		fmt.Fprintf(w, "\nUnder `additional_config` of providers of type %s.\n", code(types))
	case len(s.in) > 0:
		fmt.Fprintf(w, "\nUnder %s.\n", strings.Join(slices.Compact(s.in), ", "))
	}
}

func meaning(k *keys.Key) string {
	text := strings.ReplaceAll(escaped(k.About()), "\\`", "`")
	if len(k.Aliases) > 0 {
		text += " Also: " + code(k.Aliases) + "."
	}
	return text
}

// value describes a shape. Maps with keys of their own are a link to these.
func (b *book) value(s keys.Shape, page string) string {
	switch s := s.(type) {
	case keys.Table:
		return b.link(s, page)
	case keys.List:
		return "list of " + b.value(s.Item, page)
	case keys.Map:
		return "map to " + b.value(s.Value, page)
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

func code(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

// escaped keeps Markdown, and HTML in it, from reading anything into a text.
func escaped(text string) string {
	return strings.NewReplacer(`|`, `\|`, `<`, `&lt;`, `*`, `\*`, `_`, `\_`, "`", "\\`", `[`, `\[`).Replace(text)
}
