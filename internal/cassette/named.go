package cassette

import (
	"os"
	"strings"
)

// holder is the id of the trial whose cassette is that of a trial: its own, else that which it had when its group had
// another size. A trial that is alone shows no number, and is the first of several.
func (d *Deck) holder(id string) string {
	if there(d.file(id)) {
		return id
	}
	if was := resized(id); was != "" && there(d.file(was)) {
		return was
	}
	return id
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// resized is the id of a trial in a group of another size; "": it was none there, or is the first in both.
func resized(id string) string {
	group, variant := id, ""
	if at := strings.IndexByte(id, '['); at >= 0 {
		group, variant = id[:at], id[at:]
	}
	alone, first := strings.CutSuffix(group, "#1")
	switch {
	case first:
		return alone + variant
	case strings.Contains(group, "#"):
		return ""
	}
	return group + "#1" + variant
}
