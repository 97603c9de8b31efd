package main

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/grading"
)

const opening = `# Checks

<!-- Written by ` + "`make generate`" + ` from internal/checks. Changes made here are lost. -->

A check looks at a reply, at tool calls, at costs, and scores what it sees between 0 and 1. Every check can stand on
each of three surfaces, which decide what follows from the score: an **assertion** gates a test run, a **guardrail**
enforces a policy while the agent speaks, an **eval** measures.

` + "```yaml" + `
assertions:
  - type: contains
    params:
      patterns: [refund, 30 days]
      min_score: 0.5
    message: names the terms
    when: {tool_called: get_order}
` + "```" + `

Beside its own parameters every check takes:

| Key | Where | Meaning |
|---|---|---|
| ` + "`min_score`, `max_score`" + ` | in or beside ` + "`params`" + ` | The bounds, both included, within which the score passes. Without them a score of 1 passes, or what the check says under *Score*. Bounds that every score is within are warned of. |
| ` + "`message`" + ` | in or beside ` + "`params`" + ` | A label for reports. |
| ` + "`when`" + ` | beside ` + "`params`" + ` | Conditions on the tool calls: ` + "`tool_called`, `tool_called_pattern`, `any_tool_called`, `min_tool_calls`" + `. While one is not met the check is skipped. |
| ` + "`pass_threshold`" + ` | beside ` + "`params`" + ` | With several trials: the share of them that must pass, of each variant of ` + "`perturbations`" + ` by itself. |

A limit among a check's parameters, such as a ` + "`min_similarity`" + `, must hold besides a ` + "`min_score`" + `.

A guardrail stands under ` + "`validators`" + ` of a prompt and fires when its score does not pass.

` + "```yaml" + `
validators:
  - type: banned_words
    params: {words: [guarantee], direction: output} # or input, or both; output when left out
    message: I cannot promise anything.
  - type: max_length
    params: {max: 600}
  - type: toxicity
    fail_on_violation: false # only watches
` + "```" + `

What it does then depends on the check: ` + "`content_excludes`" + `, safety checks and judges put the message in
the place of the reply, ` + "`max_length`" + ` cuts the reply, and all others only record. One of the
first that fires on the user's words answers in place of the model, which is not called. While a reply
streams, ` + "`content_excludes`" + ` and
` + "`max_length`" + ` judge every piece as it comes, and close the connection at the first hit; the others judge the
reply at its end. Everybody sees what is left: the checks, the next calls of the model, the reports, which also keep
what the model had said. A guardrail that cannot judge lets nothing through, and makes the trial an error. One that
fires makes a run red only under ` + "`fail_on: [guardrail]`" + `.

What could not be judged is an error and never a pass. ` + "`arena checks TYPE`" + ` prints what is here about one
check, ` + "`arena checks try TYPE`" + ` judges a text with it.

`

// page is the whole reference, as Markdown.
func page() (string, error) {
	var b strings.Builder
	b.WriteString(opening)
	contents(&b)
	for _, family := range checks.Families() {
		list := checks.In(family)
		if len(list) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n", title(family))
		for _, d := range list {
			if err := section(&b, d); err != nil {
				return "", err
			}
		}
		if family == checks.FamilyExternal {
			programs(&b)
		}
	}
	return b.String(), nil
}

func contents(b *strings.Builder) {
	for _, family := range checks.Families() {
		var links []string
		for _, d := range checks.In(family) {
			links = append(links, fmt.Sprintf("[%s](#%s)", d.Name, d.Name))
		}
		if len(links) > 0 {
			fmt.Fprintf(b, "- **%s**: %s\n", title(family), strings.Join(links, ", "))
		}
	}
}

func title(family checks.Family) string {
	return strings.ToUpper(string(family[:1])) + string(family[1:])
}

func section(b *strings.Builder, d *checks.Def) error {
	fmt.Fprintf(b, "\n### %s\n\n%s\n\n", d.Name, escaped(d.Summary))
	fmt.Fprintf(b, "- Score: %s\n- For: %s\n- Looks at: %s\n", escaped(d.Scoring), strings.Join(d.Surfaces.Words(), ", "),
		d.LooksAt())
	if d.EffectWords() != checks.Records.String() {
		fmt.Fprintf(b, "- As a guardrail: %s\n", d.EffectWords())
	}
	if d.Needs != 0 {
		fmt.Fprintf(b, "- Needs: %s\n", strings.Join(d.Needs.Words(), ", "))
	}
	if names := d.Names()[1:]; len(names) > 0 {
		fmt.Fprintf(b, "- Also written: %s\n", code(names))
	}
	parameters(b, d)
	prompt(b, d)
	return examples(b, d)
}

// prompt shows what a judge is told, folded away.
func prompt(b *strings.Builder, d *checks.Def) {
	p := d.Prompt
	if p == (checks.Prompt{}) {
		return
	}
	fmt.Fprintf(b, "\n<details><summary>What the judge is told (version %d)</summary>\n\n", grading.PromptVersion)
	fmt.Fprintf(b, "As its `system_prompt`:\n\n````text\n%s\n````\n", p.System)
	if p.Criteria != "" {
		fmt.Fprintf(b, "\nAs its `criteria`:\n\n````text\n%s\n````\n", p.Criteria)
	}
	b.WriteString("\n</details>\n")
}

func parameters(b *strings.Builder, d *checks.Def) {
	params := d.Params()
	if len(params) == 0 {
		return
	}
	b.WriteString("\n| Parameter | Type | Default | Meaning |\n|---|---|---|---|\n")
	for i := range params {
		p := &params[i]
		preset := ""
		switch {
		case p.Required:
			preset = "required"
		case p.Default != "":
			preset = code([]string{p.Default})
		}
		meaning := escaped(p.Doc)
		if len(p.Aliases) > 0 {
			meaning += " Also: " + code(p.Aliases) + "."
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", code([]string{p.Name}), escaped(p.Shape.Label()), preset, meaning)
	}
	if len(d.AnyOf) > 0 {
		fmt.Fprintf(b, "\nAt least one of %s must be given.\n", code(d.AnyOf))
	}
}

// examples shows the first example that passes and the first that fails.
func examples(b *strings.Builder, d *checks.Def) error {
	all, err := d.Examples()
	if err != nil {
		return err
	}
	shown := map[string]bool{}
	for i := range all {
		if x := &all[i]; (x.Want == "passed" || x.Want == "failed") && !shown[x.Want] {
			shown[x.Want] = true
			example(b, x)
		}
	}
	return nil
}

func example(b *strings.Builder, x *checks.Example) {
	title := x.Want
	if x.Score != nil {
		title += fmt.Sprintf(" with score %.4g", *x.Score)
	}
	// A fence of its own length, for what is shown may hold one.
	const fence = "````"
	fmt.Fprintf(b, "\n%syaml\n# %s: %s\n%s%s", fence, title, x.Name, x.Check, commented(x.Context))
	if x.Says != "" {
		fmt.Fprintf(b, "# → %s\n", x.Says)
	}
	b.WriteString(fence + "\n")
}

func commented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight("# "+line, " \n") + "\n")
	}
	return b.String()
}

func code(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

// escaped keeps Markdown, and HTML in it, from reading anything into a text.
func escaped(text string) string {
	return strings.NewReplacer(`|`, `\|`, `<`, `&lt;`, `*`, `\*`, `_`, `\_`, "`", "\\`", `[`, `\[`).Replace(text)
}
