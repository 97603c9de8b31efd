package checks

import "github.com/arena-evals/arena/internal/say"

// faults is what breaks a check that forbids something, for machines and in words.
type faults struct {
	list  []Details
	texts []string
}

func (f *faults) add(text string, details Details) {
	f.list, f.texts = append(f.list, details), append(f.texts, text)
}

// finding is a full score with fine for its explanation, or none with what breaks the check behind a word for it.
func (f *faults) finding(fine, broken string) Finding {
	details := Details{"violations": atLeastEmpty(f.list)}
	if len(f.list) > 0 {
		return Finding{Explanation: broken + say.Listed(f.texts, "; "), Details: details}
	}
	return Finding{Score: 1, Explanation: fine, Details: details}
}
