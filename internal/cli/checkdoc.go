package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/jsonschema"
)

// checkDoc is a check as --json shows it.
type checkDoc struct {
	Type     string           `json:"type"`
	Aliases  []string         `json:"aliases,omitempty"`
	Family   string           `json:"family"`
	Summary  string           `json:"summary"`
	Scoring  string           `json:"scoring"`
	Surfaces []string         `json:"surfaces"`
	OnFire   string           `json:"guardrail"` // what it does when it fires as a guardrail
	Scope    string           `json:"scope"`     // turn or conversation, conversation
	Needs    []string         `json:"needs"`
	Params   *jsonschema.Doc  `json:"params"` // JSON Schema
	Prompt   *promptDoc       `json:"prompt,omitempty"`
	Examples []checks.Example `json:"examples"`
}

// promptDoc is what a judge is told by default.
type promptDoc struct {
	Version  int    `json:"version"`
	System   string `json:"system"`
	Criteria string `json:"criteria,omitempty"`
}

func promptOf(d *checks.Def) *promptDoc {
	if d.Prompt == (checks.Prompt{}) {
		return nil
	}
	return &promptDoc{grading.PromptVersion, d.Prompt.System, d.Prompt.Criteria}
}

func docOf(d *checks.Def) (checkDoc, error) {
	examples, err := d.Examples()
	scope := "turn or conversation"
	if d.Scope == checks.WholeAlways {
		scope = "conversation"
	}
	return checkDoc{
		Type: d.Name, Aliases: d.Names()[1:], Family: string(d.Family), Summary: d.Summary, Scoring: d.Scoring,
		Surfaces: d.Surfaces.Words(), OnFire: d.EffectWords(), Scope: scope, Needs: d.Needs.Words(),
		Params: d.ParamSchema(), Examples: examples,
		Prompt: promptOf(d),
	}, err
}

// needs lists what a check needs. A combination needs what its parts need.
func needs(d *checks.Def) string {
	if d.Needs == 0 {
		return "what the checks in it need"
	}
	return strings.Join(d.Needs.Words(), ", ")
}

// Widths of texts that explain a check.
const (
	textWidth = 100
	noteWidth = 80 // of a parameter
)

// describe explains a check to a person.
func describe(out io.Writer, d *checks.Def) error {
	examples, err := d.Examples()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	// a tabwriter returns its first error from Flush
	_, _ = fmt.Fprintln(w, strings.Join(wrapped(d.Name+": "+d.Summary, textWidth), "\n"))
	if names := d.Names()[1:]; len(names) > 0 {
		_, _ = fmt.Fprintf(w, "also written %s\n", strings.Join(names, ", "))
	}
	_, _ = fmt.Fprintf(w, "\nscore\t%s\nfor\t%s\nas a guardrail\t%s\nlooks at\t%s\nneeds\t%s\n",
		strings.Join(wrapped(d.Scoring, textWidth), "\n\t"), strings.Join(d.Surfaces.Words(), ", "), d.EffectWords(),
		d.LooksAt(), needs(d))
	if params := d.Params(); len(params) > 0 {
		_, _ = fmt.Fprintln(w, "\nparams")
		for _, p := range params {
			note := strings.Join(wrapped(paramNote(&p), noteWidth), "\n\t\t")
			_, _ = fmt.Fprintf(w, "  %s\t%s\t%s\n", p.Name, p.Shape.Label(), note)
		}
	}
	_, _ = io.WriteString(w, promptText(promptOf(d)))
	_, _ = fmt.Fprintf(w, "\n%s\n\nexamples\n", everyCheckTakes)
	for i := range examples {
		if examples[i].Want != checks.Refused { // --json lists refused examples too
			_, _ = io.WriteString(w, exampleText(&examples[i]))
		}
	}
	return w.Flush()
}

// promptText shows what a judge is told; "": the check asks no judge.
func promptText(p *promptDoc) string {
	if p == nil {
		return ""
	}
	system := indent(p.System, "    ")
	text := fmt.Sprintf("\nwhat the judge is told (version %d)\n  system_prompt\n%s\n", p.Version, system)
	if p.Criteria != "" {
		text += "  criteria\n" + indent(p.Criteria, "    ") + "\n"
	}
	return text
}

const everyCheckTakes = "every check also takes min_score, max_score (0..1; default: the score must be 1), message,\n" +
	"when, pass_threshold"

func exampleText(x *checks.Example) string {
	text := "\n  " + outcome(x) + ": " + x.Name + "\n" + indent(x.Check, "    ") + indent(x.Context, "    ")
	if x.Says != "" {
		text += "    # " + x.Says + "\n"
	}
	return text
}

// outcome words the result of an example: passed, failed with score 0.5.
func outcome(x *checks.Example) string {
	if x.Score != nil && x.Want != checks.Refused {
		return fmt.Sprintf("%s with score %.4g", x.Want, *x.Score)
	}
	return x.Want
}

// wrapped breaks a text into lines of at most width characters.
func wrapped(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimLeft(line+" "+word, " ")
	}
	return append(lines, line)
}

func indent(text, by string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(by)
		}
		b.WriteString(line)
	}
	return b.String()
}

func paramNote(p *checks.Param) string {
	note := p.Doc
	if p.Required {
		note += " Required."
	}
	if p.Default != "" {
		note += " Default " + p.Default + "."
	}
	if len(p.Aliases) > 0 {
		note += " Also: " + strings.Join(p.Aliases, ", ") + "."
	}
	return note
}
