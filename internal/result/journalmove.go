package result

import (
	"fmt"
	"io"
)

// OpenFallback opens another file for a journal whose file cannot be written any more. It must begin with the first
// size bytes of file. It is called again if that file fails too.
type OpenFallback func(file io.ReaderAt, size int64, why error) (Syncer, error)

// SetFallback lets the journal switch to another file when a write of a finished trial fails. Without it, the first
// error ends the journal.
func (j *Journal) SetFallback(elsewhere OpenFallback) { j.openFallback = elsewhere }

// Moved says why the journal switched to another file; nil: it did not. Nothing written is lost. It is safe for
// concurrent use.
func (j *Journal) Moved() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.moved
}

// Size is the size of the journal in bytes, after the last write.
func (j *Journal) Size() int64 { return j.size }

// keep writes the line of a trial, to the fallback if necessary.
func (j *Journal) keep(line []byte) error {
	err := j.write(line)
	for err != nil && j.move(err) {
		err = j.write(line)
	}
	return err
}

// move switches to the fallback after an error, and reports whether that was possible.
func (j *Journal) move(why error) bool {
	if j.openFallback == nil {
		return false
	}
	file, err := j.openFallback(j.file, j.size, why)
	if err != nil {
		return false
	}
	j.file, j.err = file, nil
	if j.moved == nil {
		j.moved = why
	}
	return true
}

// sync syncs what was written.
func (j *Journal) sync() error {
	for {
		j.mu.Lock()
		file := j.file
		j.mu.Unlock()
		err := file.Sync() // may take long: others write meanwhile
		if err == nil {
			return nil
		}
		err = fmt.Errorf("sync journal: %w", err)
		j.mu.Lock()
		goesOn := j.file != file || j.move(err)
		j.mu.Unlock()
		if !goesOn {
			return err
		}
	}
}
