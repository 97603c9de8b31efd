package result

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/sortby"
)

// Asked is a hash of what a trial asks and checks, and its checkers with their own hashes, so that a comparison of two
// trials can name differences. Files contain it as one text; see String.
type Asked struct {
	Sum string
	By  []Checker
}

// Checker is a model, program or tool that takes part in the checks of a trial.
type Checker struct {
	Kind CheckerKind
	Name string
	Sum  string // hash of its definition; for an AnsweringModel, its name
}

// CheckerKind is what a Checker is.
type CheckerKind string

// The kinds of checkers.
const (
	JudgeChecker   CheckerKind = "judge"   // a model that judges: its provider, settings and prompt
	ProgramChecker CheckerKind = "program" // the files of a program that is a type of checks
	ToolChecker    CheckerKind = "tool"    // a tool that a check calls
	AnsweringModel CheckerKind = "model"   // the model that answered for a judge, as its server named it
)

// String writes the hash and the checkers: "0123456789abcdef judge:strict=01234567 program:tone=89abcdef".
func (a Asked) String() string {
	by := slices.Clone(a.By)
	sortby.Func(by, func(a, b Checker) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Sum, b.Sum))
	})
	var text strings.Builder
	text.WriteString(a.Sum)
	for _, c := range slices.Compact(by) {
		text.WriteString(" " + string(c.Kind) + ":" + url.QueryEscape(c.Name) + "=" + url.QueryEscape(c.Sum))
	}
	return text.String()
}

// ParseAsked reads what String wrote. Unknown parts of other texts become part of the hash.
func ParseAsked(text string) Asked {
	var a Asked
	for i, word := range strings.Split(text, " ") {
		kind, rest, typed := strings.Cut(word, ":")
		name, sum, summed := strings.Cut(rest, "=")
		name, badName := url.QueryUnescape(name)
		sum, badSum := url.QueryUnescape(sum)
		switch {
		case i == 0:
			a.Sum = word
		case !typed || !summed || badName != nil || badSum != nil:
			a.Sum += " " + word
		default:
			a.By = append(a.By, Checker{CheckerKind(kind), name, sum})
		}
	}
	return a
}

// CheckersOf returns the part of a text of String with the checkers.
func CheckersOf(asked string) string {
	_, by, _ := strings.Cut(asked, " ")
	return by
}

// CheckedAsBefore is now with the checkers of a replayed trial; "": with its own.
func CheckedAsBefore(now, checkers string) string {
	if checkers == "" {
		return now
	}
	return ParseAsked(now).Sum + " " + checkers
}

// of are the hashes of the checkers of a kind, by name.
func (a *Asked) of(kind CheckerKind) map[string][]string {
	sums := map[string][]string{}
	for _, c := range a.By {
		if c.Kind == kind && !slices.Contains(sums[c.Name], c.Sum) {
			sums[c.Name] = append(sums[c.Name], c.Sum)
		}
	}
	return sums
}

// AskedEqual reports whether two trials ask and check the same. Both must be known.
func AskedEqual(was, now string) bool {
	return was != "" && now != "" && (was == now || len(AskedDifferences(was, now)) == 0)
}

// otherDifference describes a difference outside of the checkers.
const otherDifference = "something else is asked or checked than before"

// AskedDifferences describes what is asked or checked differently than before, one text for each difference. The
// answering model of a judge counts only if both are known: servers may not report it, and a judge may not be asked.
func AskedDifferences(before, after string) (differs []string) {
	if before == after {
		return nil
	}
	was, now := ParseAsked(before), ParseAsked(after)
	if was.Sum != now.Sum {
		differs = append(differs, otherDifference)
	}
	for _, kind := range []CheckerKind{JudgeChecker, ProgramChecker, ToolChecker} {
		then, today := was.of(kind), now.of(kind)
		for _, name := range sortedNames(then, today) {
			if !slices.Equal(then[name], today[name]) {
				differs = append(differs, kind.differs(name, then[name] != nil, today[name] != nil))
			}
		}
	}
	then, today := was.of(AnsweringModel), now.of(AnsweringModel)
	for _, name := range sortedNames(then, today) {
		if then[name] != nil && today[name] != nil && !slices.Equal(then[name], today[name]) {
			differs = append(differs, "judge "+name+" was answered for by "+strings.Join(then[name], ", ")+
				", and is by "+strings.Join(today[name], ", "))
		}
	}
	return differs
}

// differs describes a checker of this kind that has changed.
func (k CheckerKind) differs(name string, then, now bool) string {
	is := map[CheckerKind]string{
		JudgeChecker: "judge " + name, ProgramChecker: "the program of the check " + name,
		ToolChecker: "the tool " + name + ", which a check calls,",
	}[k]
	switch {
	case !then:
		return is + " is new"
	case !now:
		return is + " is gone"
	case k == JudgeChecker:
		return is + " has another model, address, prompt or setting"
	}
	return is + " has changed"
}

func sortedNames(a, b map[string][]string) (names []string) {
	for name := range a {
		names = append(names, name)
	}
	for name := range b {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// commonAsked is what the trials of a group ask and check; "": not the same, or not known. A judge may have had several
// answering models, or none if it was not asked.
func commonAsked(one, other string) string {
	if one == other {
		return one
	}
	a, b := ParseAsked(one), ParseAsked(other)
	a.By, b.By = slices.Concat(a.By, modelsOf(b)), slices.Concat(b.By, modelsOf(a))
	if text := a.String(); one != "" && other != "" && text == b.String() {
		return text
	}
	return ""
}

func modelsOf(a Asked) (models []Checker) {
	for _, c := range a.By {
		if c.Kind == AnsweringModel {
			models = append(models, c)
		}
	}
	return models
}

// mostName is the length limit of a model name, in bytes: a server may send any name.
const mostName = 100

func cutName(name string) string { return strings.ToValidUTF8(name[:min(len(name), mostName)], "") }

// asked is what the trial asks and checks, with the models that answered for its judges.
func (t *Trial) asked() string {
	if t.Asked == "" || t.Judges == nil {
		return t.Asked
	}
	a := ParseAsked(t.Asked)
	t.Judged(func(j *Judgement) {
		if j.AnsweredBy != "" {
			a.By = append(a.By, Checker{AnsweringModel, j.Judge, cutName(j.AnsweredBy)})
		}
	})
	return a.String()
}
