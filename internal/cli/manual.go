package cli

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/docs"
)

// manual writes Markdown for a terminal. It wraps text, keeps code blocks, and prints each row of a table as its first
// cell with the others below. Links are shown as the topic of their page.
type manual struct {
	strings.Builder
	width int
	color bool
}

var (
	pageLink   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[([^\]]+)\]\(([^)\s]+)\)`) })
	escapedOne = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("`[^`]+`|\\*\\*|\\\\[\\\\`*_{}\\[\\]()#+.!|<>-]")
	})
	listItem = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\s*)(- |\d+\. )(.*)$`) })
)

func (m *manual) write(text string) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); {
		line := lines[i]
		switch {
		case strings.HasPrefix(line, "<!--"):
			i += 2 // and the blank line behind it
		case line == "":
			i++
		case strings.HasPrefix(line, "```"):
			i = m.block(lines, i)
		case strings.HasPrefix(line, "    "):
			m.WriteString("\n")
			for ; i < len(lines) && strings.HasPrefix(lines[i], "    "); i++ {
				m.WriteString("  " + lines[i] + "\n")
			}
		case strings.HasPrefix(line, "#"):
			m.heading(line)
			i++
		case strings.HasPrefix(line, "|"):
			i = m.table(lines, i)
		default:
			i = m.paragraph(lines, i)
		}
	}
}

func (m *manual) heading(line string) {
	if m.Len() > 0 {
		m.WriteString("\n")
	}
	for _, title := range wrapped(inWords(strings.TrimLeft(line, "# ")), m.width) {
		if m.color {
			title = "\x1b[1m" + title + "\x1b[0m"
		}
		m.WriteString(title + "\n")
	}
}

// block copies a block of code.
func (m *manual) block(lines []string, i int) int {
	m.WriteString("\n")
	if _, name, ok := strings.Cut(lines[i], " "); ok {
		m.WriteString("      " + name + ":\n")
	}
	for i++; i < len(lines) && lines[i] != "```"; i++ {
		m.WriteString(strings.TrimRight("      "+lines[i], " ") + "\n")
	}
	return i + 1
}

// paragraph wraps lines up to the next blank line or list entry.
func (m *manual) paragraph(lines []string, i int) int {
	first, hang, text := "  ", "  ", lines[i]
	if item := listItem().FindStringSubmatch(lines[i]); item != nil {
		first, text = "  "+item[1]+item[2], item[3]
		hang = strings.Repeat(" ", len(first))
		if i > 0 && listItem().MatchString(lines[i-1]) || i > 0 && strings.HasPrefix(lines[i-1], "  ") {
			first = "\x00" + first // no blank line within a list
		}
	}
	for i++; i < len(lines) && lines[i] != "" && !listItem().MatchString(lines[i]) &&
		!strings.HasPrefix(lines[i], "```") && !strings.HasPrefix(lines[i], "|"); i++ {
		text += " " + strings.TrimSpace(lines[i])
	}
	within := strings.HasPrefix(first, "\x00")
	if !within {
		m.WriteString("\n")
	}
	m.wrap(strings.TrimPrefix(first, "\x00"), hang, text)
	return i
}

// table writes each row as its first cell with the others below. Where there are several, each has the title of its
// column. In tables of keys, short cells stand beside the name.
func (m *manual) table(lines []string, i int) int {
	heads := cellsOf(lines[i])
	ofKeys := heads[0] == "Key"
	m.WriteString("\n")
	for i += 2; i < len(lines) && strings.HasPrefix(lines[i], "|"); i++ {
		cells := cellsOf(lines[i])
		first, last := cells[0], len(cells)-1
		if ofKeys {
			for _, c := range cells[1:last] {
				if c != "" {
					first += " · " + c
				}
			}
		}
		m.wrap("  ", "      ", first)
		for j := 1; j <= last; j++ {
			switch {
			case cells[j] == "" || ofKeys && j < last:
			case ofKeys || last == 1 || j >= len(heads):
				m.wrap("      ", "      ", cells[j])
			default:
				m.wrap("      ", "        ", heads[j]+": "+cells[j])
			}
		}
	}
	return i
}

// cellsOf splits a row. Cells may hold escaped bars.
func cellsOf(row string) []string {
	const bar = "\x00"
	cells := strings.Split(strings.Trim(strings.ReplaceAll(row, `\|`, bar), "| "), " |")
	for i := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(strings.TrimPrefix(cells[i], "|"), bar, "|"))
	}
	return cells
}

func (m *manual) wrap(first, hang, text string) {
	code := false
	for i, line := range wrapped(inWords(text), m.width-len(hang)) {
		if m.color {
			line, code = shaded(line, code)
		}
		if i > 0 {
			first = hang
		}
		m.WriteString(first + line + "\n")
	}
}

// shaded shows inline code in colour instead of backticks. code: the line begins within code; open: it ends within
// code.
func shaded(line string, code bool) (text string, open bool) {
	const on, off = "\x1b[36m", "\x1b[0m"
	var b strings.Builder
	if code {
		b.WriteString(on)
	}
	for part := range strings.SplitAfterSeq(line, "`") {
		body, mark := strings.CutSuffix(part, "`")
		b.WriteString(body)
		if mark {
			if code = !code; code {
				b.WriteString(on)
			} else {
				b.WriteString(off)
			}
		}
	}
	if code {
		b.WriteString(off)
	}
	return b.String(), code
}

// inWords removes Markdown except code. A link becomes its text, followed by the topic or the address unless the text
// says it.
func inWords(text string) string {
	text = pageLink().ReplaceAllStringFunc(text, func(link string) string {
		part := pageLink().FindStringSubmatch(link)
		name, to := part[1], part[2]
		page, _, _ := strings.Cut(to, "#")
		topic := linkedTopic(page)
		switch {
		case strings.Contains(to, "://"):
			return name + " (" + to + ")"
		case topic == "checks-reference":
			return name + " (arena checks)"
		case page == "" || !slices.Contains(topicNames(), topic) && topic != "README" || strings.EqualFold(topic, name):
			return name
		case topic == "README":
			return name + " (arena docs)"
		}
		return name + " (arena docs " + topic + ")"
	})
	text = escapedOne().ReplaceAllStringFunc(text, func(part string) string {
		switch part[0] {
		case '`': // code stays as it is
			return part
		case '*':
			return ""
		}
		return part[1:]
	})
	return strings.ReplaceAll(text, "&lt;", "<")
}

// linkedTopic is the topic of a linked page. A link without a folder leads to a page of the same kind. A link to the
// folder above, or from a reference to another one, leads to a reference.
func linkedTopic(link string) string {
	topic := topicOf(link)
	up, above := strings.CutPrefix(link, "../")
	if above && !strings.Contains(up, "/") {
		return referenceName(topic)
	}
	if !strings.Contains(link, "/") && link == topic+".md" && isReference(link) {
		return referenceName(topic)
	}
	return topic
}

// isReference reports whether a file is a reference. References about files have other names.
func isReference(file string) bool {
	_, err := docs.References.Open(file)
	return err == nil || file == "checks.md"
}
