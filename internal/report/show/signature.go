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

// Signature is equal for trials that failed alike: at the same places, for the same reasons. Two trials that broke in
// the same way are alike in whatever scenario they did; what a reason says of its own trial makes no difference: its
// id, its files, numbers of processes and ports, and times.
func Signature(t *result.Trial) string {
	problems := Problems(t)
	own := ownTexts(t)
	var b strings.Builder
	judged := slices.ContainsFunc(problems, func(p Problem) bool { return p.Status == result.Failed })
	if judged {
		fmt.Fprintf(&b, "%s\x00%s\x00", t.Position.File, t.Scenario)
	}
	b.WriteString(Head(own.cut(t.Error), maxSignature))
	for _, p := range problems {
		if judged {
			fmt.Fprintf(&b, "\x00%d\x00%d\x00%s", p.Turn, p.Index, p.Name())
		}
		seen := p.Seen()
		if p.Status != result.Failed { // of the agent a number may be the very reason
			seen = own.cut(seen)
		}
		b.WriteString("\x00" + p.Status.String() + "\x00" + Head(seen, maxSignature))
	}
	return b.String()
}

// maxSignature bounds what one text adds to a signature, in bytes.
const maxSignature = 300

// texts are what tells a trial from others, the longest first: its id, its files, its scenario.
type texts []string

// minName is how many bytes a name has at least that is looked for in reasons. A shorter one may be part of any word.
const minName = 3

func ownTexts(t *result.Trial) texts {
	own := texts{t.ID, strings.TrimSuffix(t.ID, fmt.Sprintf("#%d", t.Trial)), t.Position.File, t.Scenario}
	if r := t.Recording; r != nil {
		own = append(own, r.File, r.Session, r.Name)
	}
	for _, text := range own[:2] {
		own = append(own, fileForm(text))
	}
	own = slices.DeleteFunc(own, func(text string) bool { return len(text) < minName })
	slices.SortFunc(own, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	return slices.Compact(own)
}

// fileForm is an id as names of files have it, such as those of cassettes.
func fileForm(id string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-", r)) {
			return r
		}
		return '_'
	}, id)
}

// passing is what is another number every time: addresses, times, processes and ports. A status such as 401 is a
// reason.
var passing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b0x[0-9a-f]+\b|\b\d+(\.\d+)?(ns|µs|ms|s|m)\b|\b(pid|process)[ =:]*\d+|\b\d{5,}\b` +
		`|\b[0-9a-f]*[0-9][0-9a-f]*-[0-9a-f-]{12,}\b`)
})

// cut takes out of a reason what it says of its own trial.
func (own texts) cut(reason string) string {
	if reason == "" {
		return ""
	}
	reason = Head(reason, 4*maxSignature)
	for _, text := range own {
		reason = cutName(reason, text)
	}
	return passing().ReplaceAllLiteralString(reason, "\x01")
}

// cutName takes a name out of a text wherever it stands as a word by itself, with the rest of the path or the name of
// a file that goes on behind it.
func cutName(text, name string) string {
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
		if after == '-' || after == '#' { // as the rest of a cassette's name is
			end += strings.IndexFunc(text[end+1:]+" ", func(r rune) bool { return !inWord(r) }) + 1
		}
		from = end
	}
}

func inWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}
