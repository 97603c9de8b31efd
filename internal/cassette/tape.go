package cassette

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plainfile"
)

// Tape is the cassette of a trial, sent from the machine that recorded it to the machine that keeps it.
type Tape struct {
	Name  string            `json:"name"`            // see Trial
	File  string            `json:"file"`            // content of the cassette
	Media map[string][]byte `json:"media,omitempty"` // media that the file refers to, by hash
	// Fields are the names of fields to redact that occurred.
	Fields []string `json:"fields,omitempty"`
}

// Tapes notes which trials were recorded, for Take. It is safe for concurrent use; nil notes nothing.
type Tapes struct {
	mu   sync.Mutex
	made map[Trial]bool
}

func (s *Tapes) note(t Trial) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made == nil {
		s.made = map[Trial]bool{}
	}
	s.made[t] = true
}

// took reports whether a trial was noted, and forgets it.
func (s *Tapes) took(t Trial) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	made := s.made[t]
	delete(s.made, t)
	return made
}

var hashInFile = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"sha256": "([0-9a-f]{64})"`) })

// Take returns the recording of a trial since the last Take; nil: there is none. It needs Tapes.
func (d *Folder) Take(t Trial) (*Tape, error) {
	if d == nil || !d.Tapes.took(t) {
		return nil, nil
	}
	data, err := plainfile.Read(d.file(d.written(t)))
	if err != nil {
		return nil, err
	}
	tape := &Tape{Name: t.Name, File: string(data)}
	for _, found := range hashInFile().FindAllSubmatch(data, -1) {
		hash := string(found[1])
		if tape.Media[hash] != nil || !exists(d.mediaFile(hash)) { // for media in requests only the hash is kept
			continue
		}
		content, err := d.readMedia(hash)
		if err != nil {
			return nil, err
		}
		if tape.Media == nil {
			tape.Media = map[string][]byte{}
		}
		tape.Media[hash] = content
	}
	d.fields.mu.Lock()
	defer d.fields.mu.Unlock()
	for _, name := range d.Redact {
		if d.fields.seen[strings.ToLower(name)] {
			tape.Fields = append(tape.Fields, name)
		}
	}
	return tape, nil
}

// Put writes the cassette of a trial that another machine recorded. It refuses the cassette of another trial.
func (d *Folder) Put(t Trial, tape *Tape) error {
	name := d.written(t)
	if !holdsTrial(name, t.ID) {
		return fmt.Errorf("the cassette that a worker recorded was refused: it is named for %q", t.Name)
	}
	var problems diag.List
	d.checkFile(d.displayPath(name), name, []byte(tape.File), &problems)
	for _, p := range problems.Sorted() {
		if p.Severity == diag.Error {
			return fmt.Errorf("the cassette that a worker recorded was refused: %s", p.Msg)
		}
	}
	for hash, content := range tape.Media {
		if hashOf(content) != hash {
			return errors.New("the cassette that a worker recorded was refused: its media have another hash than their name")
		}
	}
	for _, field := range tape.Fields {
		d.fields.note(strings.ToLower(field), true)
	}
	err := os.MkdirAll(d.Dir, 0o755)
	for hash, content := range tape.Media {
		if err == nil {
			err = d.keepMedia(hash, content)
		}
	}
	if err == nil {
		err = plainfile.ReplaceSynced(d.file(name), 0o644, []byte(tape.File))
	}
	if err != nil {
		return &WriteError{fmt.Errorf("the cassette %s could not be written: %w", d.displayPath(name),
			plainfile.WithoutPath(err))}
	}
	d.kept.Note(d.file(name))
	for _, place := range d.partPlaces(name) { // the cassette has the answers of interrupted trials too
		_ = os.Remove(place.path)
	}
	return nil
}
