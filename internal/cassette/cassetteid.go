package cassette

import (
	"os"
	"strings"
)

// cassetteID is the id under which a trial was recorded: its own, or the one it had when it was alone in its group, or
// not. A trial that is alone has no number in its id.
func (d *Folder) cassetteID(id string) string {
	if exists(d.file(id)) {
		return id
	}
	if was := renumbered(id); was != "" && exists(d.file(was)) {
		return was
	}
	return id
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// renumbered is the id of a trial in a group of another size; "" when there is no other.
func renumbered(id string) string {
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
