package show

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/result"
)

// Signature is equal for trials that failed in the same way: in the same checks, for the same reasons. Trials with the
// same error have the same signature in any scenario. Ids, files, process and port numbers and times of the trial do
// not count.
func Signature(t *result.Trial) string {
	problems := Problems(t)
	own := namesOf(t)
	var b strings.Builder
	judged := slices.ContainsFunc(problems, func(p Problem) bool { return p.Status == result.Failed })
	if judged {
		fmt.Fprintf(&b, "%s\x00%s\x00", t.Position.File, t.Scenario)
	}
	b.WriteString(Head(own.strip(t.Error), maxSignature))
	for _, p := range problems {
		if judged {
			fmt.Fprintf(&b, "\x00%d\x00%d\x00%s", p.Turn, p.Index, p.Name())
		}
		seen := p.Seen()
		if p.Status != result.Failed { // in a failure of the agent a number may be the reason
			seen = own.strip(seen)
		}
		b.WriteString("\x00" + p.Status.String() + "\x00" + Head(seen, maxSignature))
	}
	return b.String()
}

// maxSignature bounds what one text adds to a signature, in bytes.
const maxSignature = 300

// ownNames are the names that a reason may hold for its own trial, the longest first: its id, its files, its scenario.
type ownNames []string

// minName is the least length in bytes of a name that is looked for in reasons. A shorter one may be part of any word.
const minName = 3

func namesOf(t *result.Trial) ownNames {
	own := ownNames{t.ID, strings.TrimSuffix(t.ID, fmt.Sprintf("#%d", t.Trial)), t.Position.File, t.Scenario}
	if r := t.Recording; r != nil {
		own = append(own, r.File, r.Session, r.Name)
	}
	if r := t.Row; r != nil {
		own = append(own, r.ID, r.Position.String())
	}
	for _, text := range own[:2] {
		own = append(own, fileNameForm(text))
	}
	own = slices.DeleteFunc(own, func(text string) bool { return len(text) < minName })
	slices.SortFunc(own, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	return slices.Compact(own)
}

// fileNameForm is an id in the form of file names, such as those of cassettes.
func fileNameForm(id string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-", r)) {
			return r
		}
		return '_'
	}, id)
}

// varying matches numbers that differ from run to run: addresses, times, process ids and ports. A status such as 401 is
// part of the reason and stays.
var varying = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b0x[0-9a-f]+\b|\b\d+(\.\d+)?(ns|µs|ms|s|m)\b|\b(pid|process)[ =:]*\d+|\b\d{5,}\b` +
		`|\b[0-9a-f]*[0-9][0-9a-f]*-[0-9a-f-]{12,}\b`)
})

// strip removes the trial's own names from a reason.
func (own ownNames) strip(reason string) string {
	if reason == "" {
		return ""
	}
	reason = Head(reason, 4*maxSignature)
	for _, text := range own {
		reason = stripName(reason, text)
	}
	return varying().ReplaceAllLiteralString(reason, "\x01")
}

// stripName removes a whole word from a text, with the rest of a file name that follows.
func stripName(text, name string) string {
	var b strings.Builder
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return b.String() + text[from:]
		}
		end := from + i + len(name)
		before, _ := utf8.DecodeLastRuneInString(text[:from+i])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if inWord(before) || inWord(after) {
			b.WriteString(text[from:end])
			from = end
			continue
		}
		b.WriteString(text[from:from+i] + "\x01")
		if after == '-' || after == '#' { // the rest of a cassette's name
			end += strings.IndexFunc(text[end+1:]+" ", func(r rune) bool { return !inWord(r) }) + 1
		}
		from = end
	}
}

func inWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}
