package scenario

import "slices"

// usualPlaces are names that other tools fill in for {name} in criteria and in prompts of judges.
var usualPlaces = []string{
	"answer", "assistant", "completion", "context", "conversation", "criteria", "expected", "expected_answer",
	"expected_output", "generated", "ground_truth", "ideal", "input", "message", "output", "prediction", "question",
	"reference", "reply", "response", "rubric", "tool_calls", "transcript", "user",
}

// UsualPlaces are the names in single braces in a text that other tools fill in and arena does not.
func UsualPlaces(text string) (names []string) {
	visit := func(name string) {
		if slices.Contains(usualPlaces, name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	text = doubleBraced().ReplaceAllString(text, "")
	walkSingles(text, func(name string, _ int) { visit(name) })
	walkSpaced(text, func(_, name string) { visit(name) })
	return names
}
