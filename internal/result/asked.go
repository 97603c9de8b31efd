package result

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/sortby"
)

// Asked is what a trial asks and checks: a sum of it, and its checkers, each with a sum of its own, so that a
// comparison of two trials can name what differs. Files contain it as one text; see String.
type Asked struct {
	Sum string
	By  []Checker
}

// Checker is who has a part in the checks of a trial.
type Checker struct {
	Kind CheckerKind
	Name string
	Sum  string // of what it is like; of an AnsweringModel its name
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

// String writes the sum and the checkers: "0123456789abcdef judge:strict=01234567 program:tone=89abcdef".
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

// ParseAsked reads what String wrote. Of a text that it did not write, what cannot be read is part of the sum.
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

// CheckersOf is the part of a text of String with the checkers.
func CheckersOf(asked string) string {
	_, by, _ := strings.Cut(asked, " ")
	return by
}

// CheckedAsBefore is what is asked now, with the checkers of a replayed trial; "" leaves those of now.
func CheckedAsBefore(now, checkers string) string {
	if checkers == "" {
		return now
	}
	return ParseAsked(now).Sum + " " + checkers
}

// of are the sums of the checkers of a kind, by name.
func (a *Asked) of(kind CheckerKind) map[string][]string {
	sums := map[string][]string{}
	for _, c := range a.By {
		if c.Kind == kind && !slices.Contains(sums[c.Name], c.Sum) {
			sums[c.Name] = append(sums[c.Name], c.Sum)
		}
	}
	return sums
}

// AskedAlike reports whether two trials ask and check the same. Both must be known.
func AskedAlike(was, now string) bool {
	return was != "" && now != "" && (was == now || len(AskedOtherwise(was, now)) == 0)
}

// askedElse describes a difference that belongs to no checker.
const askedElse = "something else is asked or checked than before"

// AskedOtherwise describes what is asked or checked differently than before, one text for each difference. The model
// that answered for a judge counts only when both are known: servers need not report it, and a judge need not be asked.
func AskedOtherwise(before, after string) (differs []string) {
	if before == after {
		return nil
	}
	was, now := ParseAsked(before), ParseAsked(after)
	if was.Sum != now.Sum {
		differs = append(differs, askedElse)
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

// differs says that a checker of this kind is not what it was.
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

// askedTogether is what trials of one group ask and check: "" where that is not the same, or not known. Several models
// may have answered for a judge, and none where it was not asked.
func askedTogether(one, other string) string {
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

// mostName is how much of the name of a model is kept, in bytes: a server may send any.
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
