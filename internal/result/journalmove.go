package result

import (
	"fmt"
	"io"
)

// Elsewhere makes another file for a journal whose own file takes no more: one that begins with the first size bytes of
// that file. It is asked again when that one takes no more either.
type Elsewhere func(file io.ReaderAt, size int64, why error) (Syncer, error)

// OrElse has the journal go on elsewhere where its file fails with a finished trial. Without it, the first error ends
// the journal.
func (j *Journal) OrElse(elsewhere Elsewhere) { j.elsewhere = elsewhere }

// Moved is why the journal goes on elsewhere; nil: it does not. What was written is kept all the same. It is safe for
// concurrent use.
func (j *Journal) Moved() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.moved
}

// Size is that of the journal, in bytes, after the last write.
func (j *Journal) Size() int64 { return j.size }

// keep writes the line of a trial, elsewhere if need be.
func (j *Journal) keep(line []byte) error {
	err := j.write(line)
	for err != nil && j.move(err) {
		err = j.write(line)
	}
	return err
}

// move goes on elsewhere after an error, and reports whether that is possible.
func (j *Journal) move(why error) bool {
	if j.elsewhere == nil {
		return false
	}
	file, err := j.elsewhere(j.file, j.size, why)
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
		err := file.Sync() // which may last: others write meanwhile
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
