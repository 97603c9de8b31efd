package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestManual: every page is shown without marks of Markdown, no line of text is wider than it may be, and what a link
// names can be shown.
func TestManual(t *testing.T) {
	t.Parallel()
	names := topicNames()
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			t.Errorf("%s is the name of two pages", name)
		}
		text, err := topicText(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, width := range []int{40, 80, 100} {
			m := &manual{width: width}
			m.write(text)
			for line := range strings.Lines(m.String()) {
				line = strings.TrimRight(line, "\n")
				text := !strings.HasPrefix(line, "      ") && strings.Contains(strings.TrimSpace(line), " ")
				if wide := utf8.RuneCountInString(line); text && wide > max(width, longest(line)+6) {
					t.Errorf("%s at %d: a line has %d columns: %s", name, width, wide, line)
				}
				words := regexp.MustCompile("`[^`]*`").ReplaceAllString(line, "") // code stands for itself
				if text && regexp.MustCompile(`\]\(|\\[_*]|&lt;|\x1b|\*\*`).MatchString(words) {
					t.Errorf("%s: a mark is left: %s", name, line)
				}
			}
			if said := "a backslash"; name == "variables" && width == 100 && !strings.Contains(m.String(), "`\\{{name}}`") {
				t.Errorf("%s: what is said of %s has lost it", name, said)
			}
			for _, m := range regexp.MustCompile(`\(arena\s+docs\s+([\w-]+)\)`).FindAllStringSubmatch(m.String(), -1) {
				if !slices.Contains(names, m[1]) {
					t.Errorf("%s leads to %s, which is not there", name, m[1])
				}
			}
		}
	}
}

// longest is the number of characters of the longest word.
func longest(line string) (n int) {
	for word := range strings.FieldsSeq(line) {
		n = max(n, utf8.RuneCountInString(word))
	}
	return n
}

func TestManualWithColor(t *testing.T) {
	t.Parallel()
	m := &manual{width: 16, color: true}
	m.write("# Title\n\nRun `arena run x` now.\n\n- one\n- two\n\n| A | B |\n|---|---|\n| `k` | is \\| it |\n\n| N | One | Two |\n|---|---|---|\n| x | 1 | 2 |\n\n    raw `x`\n")
	want := "\x1b[1mTitle\x1b[0m\n\n  Run \x1b[36marena run\x1b[0m\n  \x1b[36mx\x1b[0m now.\n\n  - one\n  - two\n\n" +
		"  \x1b[36mk\x1b[0m\n      is | it\n\n  x\n      One: 1\n      Two: 2\n\n      raw `x`\n"
	if m.String() != want {
		t.Errorf("got\n%q\nwant\n%q", m.String(), want)
	}
}

// Every page of the documentation can be shown, and a link to it says how.
func TestReferencesAreTopics(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatal(err)
	}
	for _, page := range pages {
		file := filepath.Base(page)
		want := "(arena docs " + referenceName(topicOf(file)) + ")"
		if file == "checks.md" {
			want = "(arena checks)"
		} else if !slices.Contains(topicNames(), referenceName(topicOf(file))) {
			t.Errorf("docs/%s is no topic: name it in docs/embed.go", file)
		}
		for _, link := range []string{file, "../" + file} {
			if got := inWords("[this page](" + link + ")"); got != "this page "+want {
				t.Errorf("a link to %s is shown as %q", link, got)
			}
		}
	}
	if got := inWords("[this page](02-tools.md)"); got != "this page (arena docs tools)" {
		t.Errorf("a link to a guide is shown as %q", got)
	}
}

// TestDocsLinks: what the guides and the pages about files link to is there, and every guide leads to the next.
func TestDocsLinks(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{"guide/*.md", "files/*.md"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "docs", pattern))
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		files = append(files, found...)
	}
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range pageLink().FindAllStringSubmatch(string(data), -1) {
			to, _, _ := strings.Cut(link[2], "#")
			if to == "" || strings.Contains(to, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), to)); err != nil {
				t.Errorf("%s links to %s: %v", file, to, err)
			}
		}
		next := i + 1
		if next < len(files) && filepath.Base(filepath.Dir(files[next])) == "guide" && filepath.Base(file) != "README.md" &&
			filepath.Base(files[next]) != "README.md" && !strings.Contains(string(data), "]("+filepath.Base(files[next])+")") {
			t.Errorf("%s does not lead to %s", file, filepath.Base(files[next]))
		}
	}
}
