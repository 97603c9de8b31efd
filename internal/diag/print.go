package diag

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/fatih/color"

	"github.com/arena-evals/arena/internal/plural"
)

// PrintOptions say how problems are shown. The zero value prints them without source lines and without colour.
type PrintOptions struct {
	Color bool
	Width int // columns to fill; 0 means 100
	// Read returns the content of a file, for the source line below each message; nil: without source lines. It is called
	// once for each file with problems, in order.
	Read func(file string) ([]byte, error)
}

// Print writes problems for people: place and message, the source line with the place underlined, a hint. Text of the
// files is made safe for a terminal, and what looks like a secret is starred out.
func Print(w io.Writer, diags []Diagnostic, o PrintOptions) error {
	p := &printer{PrintOptions: o, style: newStyle(o.Color)}
	if p.Width <= 0 {
		p.Width = 100
	}
	for i := range diags {
		if i > 0 {
			p.out.WriteByte('\n')
		}
		p.diagnostic(&diags[i])
		if _, err := io.WriteString(w, p.out.String()); err != nil {
			return err
		}
		p.out.Reset()
	}
	return nil
}

type printer struct {
	PrintOptions
	style
	out   strings.Builder
	file  string // the file whose lines are held
	lines []string
}

func (p *printer) diagnostic(d *Diagnostic) {
	if place := d.Pos.String(); place != "" {
		p.out.WriteString(p.bold(Safe(place)) + ": ")
	}
	if d.Severity == Warning {
		p.out.WriteString(p.yellow("warning") + ": ")
	} else if d.Pos.File == "" {
		p.out.WriteString(p.red("error") + ": ")
	}
	p.out.WriteString(HideSecrets(Safe(d.Msg)))
	if d.Code != "" {
		p.out.WriteString(" " + p.faint("["+d.Code+"]"))
	}
	p.out.WriteByte('\n')
	gutter := "   "
	if line, ok := p.line(d.Pos); ok {
		number := fmt.Sprint(d.Pos.Line)
		gutter = strings.Repeat(" ", len(number)+2)
		text, pad, caret := snippet(line, int(d.Pos.Col), d.Width, p.Width-len(gutter)-3)
		p.out.WriteString("  " + p.faint(number+" |") + strings.TrimRight(" "+text, " ") + "\n")
		if d.Pos.Col > 0 {
			p.out.WriteString(gutter + p.faint(" | ") + strings.Repeat(" ", pad) + p.mark(d.Severity, caret) + "\n")
		}
	}
	if d.Hint != "" {
		p.out.WriteString(gutter + p.faint(" = ") + p.cyan(HideSecrets(Safe(d.Hint))) + "\n")
	}
}

// line returns the source line of a position, when there is one.
func (p *printer) line(pos Pos) (string, bool) {
	if p.Read == nil || pos.Line < 1 {
		return "", false
	}
	if p.file != pos.File {
		p.file, p.lines = pos.File, nil
		if data, err := p.Read(pos.File); err == nil && !Foreign(pos.File, data) { // gone: the message stands alone
			p.lines = Lines(pos.File, data)
		}
	}
	if int(pos.Line) > len(p.lines) || strings.TrimSpace(p.lines[pos.Line-1]) == "" {
		return "", false
	}
	return p.lines[pos.Line-1], true
}

func (p *printer) mark(s Severity, caret string) string {
	if s == Warning {
		return p.yellow(caret)
	}
	return p.red(caret)
}

type style struct {
	bold, faint, red, yellow, cyan func(string) string
}

func newStyle(on bool) style {
	paint := func(attr ...color.Attribute) func(string) string {
		if !on {
			return func(s string) string { return s }
		}
		c := color.New(attr...)
		c.EnableColor()
		return func(s string) string { return c.Sprint(s) }
	}
	return style{
		bold: paint(color.Bold), faint: paint(color.Faint), red: paint(color.FgRed, color.Bold),
		yellow: paint(color.FgYellow, color.Bold), cyan: paint(color.FgCyan),
	}
}

// Summary counts problems in one line, such as "2 problems in 1 of 12 files, 1 warning"; files is the number of those
// that were read. Without problems and warnings it is "".
func Summary(diags []Diagnostic, files int) string {
	var errs, warnings int
	with := map[string]bool{}
	for i := range diags {
		if diags[i].Severity == Warning {
			warnings++
			continue
		}
		errs++
		with[diags[i].Pos.File] = true
	}
	delete(with, "")
	var parts []string
	if errs > 0 {
		text := plural.Count(errs, "problem")
		if len(with) > 0 {
			text += fmt.Sprintf(" in %d of %s", len(with), plural.Count(max(files, len(with)), "file"))
		}
		parts = append(parts, text)
	}
	if warnings > 0 {
		parts = append(parts, plural.Count(warnings, "warning"))
	}
	return strings.Join(parts, ", ")
}

// jsonDiagnostic is a problem as machines read it. Columns count characters from 1; end_column is exclusive.
type jsonDiagnostic struct {
	Severity  string `json:"severity"`
	File      string `json:"file,omitempty"`
	Line      int32  `json:"line,omitempty"`
	Column    int32  `json:"column,omitempty"`
	EndColumn int32  `json:"end_column,omitempty"`
	Code      string `json:"code"`
	Message   string `json:"message"`
	Hint      string `json:"hint,omitempty"`
}

// WriteJSON writes problems for machines as one indented JSON object: files (that were read), errors, warnings and
// the list diagnostics.
func WriteJSON(w io.Writer, diags []Diagnostic, files int) error {
	doc := struct {
		Files       int              `json:"files"`
		Errors      int              `json:"errors"`
		Warnings    int              `json:"warnings"`
		Diagnostics []jsonDiagnostic `json:"diagnostics"`
	}{Files: files, Diagnostics: make([]jsonDiagnostic, len(diags))}
	for i, d := range diags {
		if d.Severity == Warning {
			doc.Warnings++
		} else {
			doc.Errors++
		}
		j := jsonDiagnostic{
			Severity: d.Severity.String(), File: d.Pos.File, Line: d.Pos.Line, Column: d.Pos.Col,
			Code: d.Code, Message: HideSecrets(d.Msg), Hint: HideSecrets(d.Hint),
		}
		if j.Column > 0 {
			j.EndColumn = j.Column + int32(max(d.Width, 1))
		}
		doc.Diagnostics[i] = j
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(doc)
}
