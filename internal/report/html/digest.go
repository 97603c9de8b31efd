package html

import (
	"cmp"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// digest is the part of a trial's JSON that the index needs.
type digest struct {
	Model        string          `json:"model"`
	Tags         []string        `json:"tags"`
	Error        string          `json:"error"`
	Skip         string          `json:"skip_reason"`
	Turns        []turnDigest    `json:"turns"`
	Conversation []verdictDigest `json:"conversation_assertions"`
	Evals        []evalDigest    `json:"eval_results"`
}

// evalDigest is a verdict of an eval. An eval without a threshold has no status.
type evalDigest struct {
	ID string `json:"eval_id"`
	verdictDigest
}

type turnDigest struct {
	LatencyMS  float64         `json:"latency_ms"`
	Assertions []verdictDigest `json:"assertions"`
}

type verdictDigest struct {
	Type        string        `json:"type"`
	Check       string        `json:"check"`
	Status      result.Status `json:"status"`
	Error       string        `json:"error"`
	Message     string        `json:"message"`
	Explanation string        `json:"explanation"`
	Position    diag.Pos      `json:"position"`
}

// name is the type of the check that was run.
func (v *verdictDigest) name() string { return cmp.Or(v.Check, v.Type) }

func readDigest(raw []byte) (*digest, error) {
	var d digest
	if err := result.DecodePart(raw, &d); err != nil {
		return nil, err
	}
	return &d, nil
}

// verdicts yields every verdict, those of the turns first.
func (d *digest) verdicts(yield func(*verdictDigest) bool) {
	for i := range d.Turns {
		for k := range d.Turns[i].Assertions {
			if !yield(&d.Turns[i].Assertions[k]) {
				return
			}
		}
	}
	for k := range d.Conversation {
		if !yield(&d.Conversation[k]) {
			return
		}
	}
}

// reason says in one short line why the trial did not pass: by the first check that failed, else by its error, else by
// the first check that could not judge, else by the reason why it was skipped.
func (d *digest) reason() string {
	failed, broken := d.first(result.Failed), d.first(result.Errored)
	switch {
	case failed != nil:
		return failed.reason()
	case d.Error != "":
		return firstWords(d.Error)
	case broken != nil:
		return broken.reason()
	}
	return firstWords(d.Skip)
}

// first returns the first verdict of a status, or nil.
func (d *digest) first(s result.Status) *verdictDigest {
	for v := range d.verdicts {
		if v.Status == s {
			return v
		}
	}
	for i := range d.Evals {
		if e := &d.Evals[i]; e.Status == s {
			e.Check = "eval " + e.ID
			return &e.verdictDigest
		}
	}
	return nil
}

func (v *verdictDigest) reason() string {
	return firstWords(v.name() + ": " + cmp.Or(v.Explanation, v.Error, v.Message, "no reason given"))
}

// firstWords is the first words of a text, on one line.
func firstWords(text string) string {
	const limit = 140
	cut := text
	if len(text) > 4*limit {
		cut = strings.ToValidUTF8(text[:4*limit], "")
	}
	cut = strings.Join(strings.Fields(cut), " ")
	if r := []rune(cut); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	if len(text) > 4*limit {
		return cut + "…"
	}
	return cut
}
