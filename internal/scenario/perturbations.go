package scenario

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

func readPerturbations(d *decoder, t *turnFile, v *node.Node) {
	d.Each(v, "perturbations", func(name string, k, list *node.Node) {
		p := Perturbation{Name: name, Pos: d.Pos(k)}
		values, ok := d.Strings(list, "perturbations."+name)
		if ok && len(values) == 0 {
			d.Errorf(list, "empty-value", "perturbations.%s has no values: the scenario would never run", name)
		}
		for i, value := range values {
			if ok && slices.Contains(values[:i], value) {
				d.Errorf(list.Content[i], "duplicate-value", "perturbations.%s has %q twice: both are the same conversation",
					name, value).Hint = "take one out; for the same conversation again write trials"
			}
		}
		if list.Kind == node.Scalar && ok && len(values) == 1 && strings.Contains(values[0], ",") {
			d.Warnf(list, "looks-like-slip", "perturbations.%s is one value, %q", name, values[0]).Hint =
				"for several values write a list: [" + strings.Trim(values[0], "[] ") + "], or [\"…\"] for this one"
		}
		if p.Values = values; !ok || len(values) == 0 {
			p = Perturbation{Name: name, Values: []string{""}} // a perturbation without a placeholder has no further problems
		}
		rare := t.rare()
		rare.Perturbations = append(rare.Perturbations, p)
	})
}

// perturbed reports perturbations without a placeholder, whose variants would all be equal, and placeholders without a
// perturbation, which would be sent unchanged.
func (d *decoder) perturbed(s *Scenario) {
	var open []string // placeholders without a value
	for i := range s.Turns {
		for _, name := range s.Turns[i].places() {
			if !declares(s.Turns, name) && !slices.Contains(open, name) {
				open = append(open, name)
			}
		}
	}
	missed := d.unusedPerturbations(s, open)
	d.unfilledPlaces(s, open, missed)
}

// unusedPerturbations reports perturbations without a placeholder. It returns the open places that the hints name.
func (d *decoder) unusedPerturbations(s *Scenario, open []string) (meant []string) {
	for i := range s.Turns {
		for _, p := range s.Turns[i].More().Perturbations {
			if s.Turns[i].Literal || p.Pos.Line == 0 || fillsPlace(s.Turns, i, p.Name) {
				continue // or is reported already
			}
			hint := "write {" + p.Name + "} with single braces where the values go"
			if near := diag.Nearest(p.Name, open); near != "" {
				meant = append(meant, near)
				hint = "did you mean " + near + "? {" + near + "} is there, and nothing fills it"
			}
			d.Diags.Add(diag.Diagnostic{
				Severity: d.foreignSeverity(), Pos: p.Pos, Width: utf8.RuneCountInString(p.Name), Code: "unused-perturbation",
				Msg:  "no turn contains {" + p.Name + "}: all variants would be the same",
				Hint: hint,
			})
		}
	}
	return meant
}

// unfilledPlaces reports the open places of a scenario that has perturbations, but for those in skip.
func (d *decoder) unfilledPlaces(s *Scenario, open, skip []string) {
	var known []string
	for i := range s.Turns {
		for _, p := range s.Turns[i].More().Perturbations {
			known = append(known, p.Name)
		}
	}
	if len(known) == 0 {
		return
	}
	for i := range s.Turns {
		for _, name := range s.Turns[i].places() {
			if !slices.Contains(open, name) || slices.Contains(skip, name) {
				continue
			}
			skip = append(skip, name)
			hint := hintNames(name, known)
			if near := diag.Nearest(name, known); near != "" {
				hint = "did you mean {" + near + "}?"
			}
			d.Diags.Add(diag.Diagnostic{
				Severity: d.foreignSeverity(), Pos: s.Turns[i].Said, Width: 1, Code: "unfilled-perturbation",
				Msg:  "no perturbation fills {" + name + "}: it would be sent as written, braces included",
				Hint: hint + literally("{"),
			})
		}
	}
}

// fillsPlace reports whether a turn's perturbation changes a turn: this one, or a later one without its own.
func fillsPlace(turns []Turn, at int, name string) bool {
	if turns[at].fills(name) {
		return true
	}
	if declares(turns[:at], name) {
		return false
	}
	for i := range turns {
		if !declares(turns[i:i+1], name) && turns[i].fills(name) {
			return true
		}
	}
	return false
}

func declares(turns []Turn, name string) bool {
	return slices.ContainsFunc(turns, func(t Turn) bool {
		return slices.ContainsFunc(t.More().Perturbations, func(p Perturbation) bool { return p.Name == name })
	})
}

// fills reports whether the user message depends on a perturbation.
func (t *Turn) fills(name string) bool {
	value := map[string]string{name: ""}
	return slices.ContainsFunc(t.templates(), func(text string) bool { return Substitute(text, value) != text })
}

// templates are the texts of a turn with placeholders.
func (t *Turn) templates() []string {
	if t.Literal {
		return nil
	}
	texts := []string{t.Content}
	for _, p := range t.Parts {
		texts = append(texts, p.Text)
	}
	return texts
}

// places are the names in single braces in the user message.
func (t *Turn) places() []string {
	var names []string
	for _, text := range t.templates() {
		if strings.IndexByte(text, '{') >= 0 {
			walkSingles(text, func(name string, _ int) { names = append(names, name) })
		}
	}
	return names
}
