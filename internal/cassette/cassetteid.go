package cassette

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Trial names a trial and its cassette.
type Trial struct {
	ID string
	// Name names its cassette. It is the id, or for a variant the id without the number that depends on other variants.
	Name string
}

// nameOf returns the name of the existing cassette of a trial. Older versions named cassettes by the id of the trial.
// The id has a number only if the group has more than one trial, so the id from a group of another size is tried too.
func (d *Folder) nameOf(t Trial) string {
	for _, name := range []string{t.Name, t.ID, renumbered(t.ID)} {
		if name != "" && exists(d.file(name)) {
			return name
		}
	}
	return t.Name
}

// written returns the name of the cassette that the trial writes: its id if a cassette of that name exists already.
func (d *Folder) written(t Trial) string {
	if !exists(d.file(t.Name)) && exists(d.file(t.ID)) {
		return t.ID
	}
	return t.Name
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// renumbered is the id of a trial in a group of another size; "" when there is no other.
func renumbered(id string) string {
	group, variant := cutVariant(id)
	alone, first := strings.CutSuffix(group, "#1")
	switch {
	case first:
		return alone + variant
	case strings.Contains(group, "#"):
		return ""
	}
	return group + "#1" + variant
}

// cutVariant takes the variant off an id.
func cutVariant(id string) (group, variant string) {
	if at := strings.IndexByte(id, '['); at >= 0 {
		return id[:at], id[at:]
	}
	return id, ""
}

// holdsTrial reports whether a cassette with this name may hold a trial. The number in the id of a variant depends on
// the other variants and their order, so it is not compared.
func holdsTrial(name, trial string) bool {
	if name == trial {
		return true
	}
	group, variant := cutVariant(name)
	ofGroup, itsVariant := cutVariant(trial)
	return variant != "" && group == number().ReplaceAllString(ofGroup, "") &&
		number().ReplaceAllString(variant, "") == itsVariant
}

var number = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`#[0-9]+$`) })
