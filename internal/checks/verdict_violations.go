package checks

import "github.com/arena-evals/arena/internal/say"

// violationList collects the violations of a check that forbids something: as details, and in words.
type violationList struct {
	list  []Details
	texts []string
}

func (f *violationList) add(text string, details Details) {
	f.list, f.texts = append(f.list, details), append(f.texts, text)
}

// finding returns a score of 1 and the explanation fine when there are no violations; else a score of 0, and the
// violations after the word broken.
func (f *violationList) finding(fine, broken string) Finding {
	details := Details{"violations": atLeastEmpty(f.list)}
	if len(f.list) > 0 {
		return Finding{Explanation: broken + say.Listed(f.texts, "; "), Details: details}
	}
	return Finding{Score: 1, Explanation: fine, Details: details}
}
