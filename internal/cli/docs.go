package cli

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/docs"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/filedoc"
)

func newDocsCmd(app *App) *cobra.Command {
	return &cobra.Command{
		Use:   "docs [topic]",
		Short: "Show the guides, and what may stand in each kind of file",
		Long: `Docs shows a page of the documentation: a guide, or a reference. Without a topic it lists them; the
guides are meant to be read in their order. arena checks TYPE documents a check, and arena COMMAND --help
a command.`,
		Example: `  arena docs
  arena docs first-test
  arena docs scenario | less`,
		Args: takes(0, 1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return topicNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listTopics(app)
			}
			return showTopic(app, args[0], c.Root().Commands())
		},
	}
}

// pageTopic is a guide or a reference by the name of its file: 02-tools.md is tools.
type pageTopic struct {
	name, title, file string
	from              embed.FS
}

func guideTopics() []pageTopic { return pagesIn(docs.Guides, "guide/*.md") }

// referenceTopics are the references. A reference with the name of a guide gets a suffix: tools-reference.
func referenceTopics() []pageTopic {
	list := pagesIn(docs.References, "*.md")
	for i := range list {
		list[i].name = referenceName(list[i].name)
	}
	return list
}

func referenceName(name string) string {
	if slices.ContainsFunc(guideTopics(), func(g pageTopic) bool { return g.name == name }) {
		return name + "-reference"
	}
	return name
}

func pagesIn(from embed.FS, pattern string) []pageTopic {
	files, _ := fs.Glob(from, pattern) // the pattern is right
	list := make([]pageTopic, 0, len(files))
	for _, file := range files {
		name := topicOf(file)
		if name == "README" {
			continue
		}
		text, _ := from.ReadFile(file) // it is there
		title, _, _ := strings.Cut(string(text), "\n")
		list = append(list, pageTopic{name, strings.TrimPrefix(strings.TrimSpace(title), "# "), file, from})
	}
	return list
}

// topicOf is the topic of a file of the documentation.
func topicOf(file string) string {
	name := strings.TrimSuffix(file[strings.LastIndexByte(file, '/')+1:], ".md")
	return strings.TrimLeftFunc(name, func(r rune) bool { return unicode.IsDigit(r) || r == '-' })
}

func topicNames() []string {
	var names []string
	for _, g := range guideTopics() {
		names = append(names, g.name)
	}
	for _, p := range filedoc.Pages() {
		names = append(names, p.Name)
	}
	for _, r := range referenceTopics() {
		names = append(names, r.name)
	}
	return names
}

func listTopics(app *App) error {
	w := tabwriter.NewWriter(app.Out, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(w, "Guides, to be read in this order:") // a tabwriter keeps its first error for Flush
	for _, g := range guideTopics() {
		_, _ = fmt.Fprintf(w, "  %s\t%s\n", g.name, g.title)
	}
	_, _ = fmt.Fprintln(w, "\nFiles, with all their keys:")
	for _, p := range filedoc.Pages() {
		_, _ = fmt.Fprintf(w, "  %s\t%s\n", p.Name, p.About)
	}
	_, _ = fmt.Fprintln(w, "\nReferences:")
	for _, r := range referenceTopics() {
		_, _ = fmt.Fprintf(w, "  %s\t%s\n", r.name, r.title)
	}
	_, _ = fmt.Fprintln(w, "\n`arena docs TOPIC` shows one of them, `arena checks TYPE` documents a check.")
	return ifBroken(w.Flush())
}

func showTopic(app *App, name string, commands []*cobra.Command) error {
	text, err := topicText(name, commands...)
	if err != nil {
		return err
	}
	p := &manual{width: 80, color: app.useColor("auto", app.OutTTY)}
	if app.OutTTY {
		p.width = min(max(app.Width(), 40), 100)
	}
	p.write(text)
	_, err = io.WriteString(painted(app.Out, p.color), p.String())
	return ifBroken(err)
}

// topicText returns a page as Markdown. For the name of a command or a check it says where to find its documentation.
func topicText(name string, commands ...*cobra.Command) (string, error) {
	asked := name
	name = strings.ToLower(name)
	pages := slices.Concat(guideTopics(), referenceTopics())
	if i := slices.IndexFunc(pages, func(p pageTopic) bool { return p.name == name }); i >= 0 {
		text, err := pages[i].from.ReadFile(pages[i].file)
		return string(text), err
	}
	if slices.ContainsFunc(filedoc.Pages(), func(p filedoc.Page) bool { return p.Name == name }) {
		return filedoc.Text(name)
	}
	err := fmt.Errorf("there is no page %q", asked)
	if d, ok := checks.Lookup(name); ok {
		return "", fmt.Errorf("%w\n`arena checks %s` documents this check", err, d.Name)
	}
	if slices.ContainsFunc(commands, func(c *cobra.Command) bool { return c.Name() == name }) {
		return "", fmt.Errorf("%w\n`arena %s --help` documents this command", err, name)
	}
	if near := diag.Nearest(name, topicNames()); near != "" {
		return "", fmt.Errorf("%w\ndid you mean %q?", err, near)
	}
	return "", fmt.Errorf("%w\n`arena docs` lists all of them", err)
}
