package cassette

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// partFile writes the part of a trial. It is safe for concurrent use.
type partFile struct {
	trial string

	mu     sync.Mutex
	places []partPlace // those that are left; the first is written to
	file   *os.File    // nil: nothing was written there yet
	lines  scribe
	torn   []partPlace // that could not be written to their end
}

// partPlace is a place where the part of a trial may stand.
type partPlace struct {
	path  string
	whole int64 // length of what is there and can be read; 0: it is written anew
}

// partPlaces are in the folder of the cassettes, and where that takes no more, such as on a full disk.
func (d *Folder) partPlaces(id string) []partPlace {
	name := filepath.Base(d.file(id)) + ".part"
	places := []partPlace{{path: filepath.Join(d.Dir, name)}}
	if d.Spare != "" {
		places = append(places, partPlace{path: filepath.Join(d.Spare, name)})
	}
	return places
}

// add writes an exchange. It survives the end of the process, and that of the machine once add returns.
func (p *partFile) add(e *entry) {
	p.mu.Lock()
	for len(p.places) > 0 && p.write(e) != nil {
		if p.file != nil {
			_ = p.file.Close() // it is given up
		}
		p.file, p.torn, p.places = nil, append(p.torn, p.places[0]), p.places[1:]
	}
	f := p.file
	p.mu.Unlock()
	if f != nil {
		_ = f.Sync() // where that fails, the cassette fails too, and says so
	}
}

// write writes an exchange to the first place.
func (p *partFile) write(e *entry) error {
	var text []byte
	if p.file == nil {
		var err error
		if p.file, err = p.places[0].open(); err != nil {
			return err
		}
		p.lines = scribe{}
		if text, err = json.Marshal(partHead{partVersion, p.trial}); err != nil {
			return err
		}
		text = append(text, '\n')
	}
	known := len(p.lines.defined.list)
	x, err := p.lines.exchange(e)
	if err != nil {
		return err
	}
	line, err := compact(partLine{x, p.lines.defined.list[known:]})
	if err != nil {
		return err
	}
	_, err = p.file.Write(append(append(text, line...), '\n'))
	return err
}

// open opens the file to go on behind what can be read, or makes it. It follows no link.
func (p *partPlace) open() (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(p.path), 0o755); err != nil {
		return nil, err
	}
	if info, err := os.Lstat(p.path); err == nil && (p.whole == 0 || !info.Mode().IsRegular()) {
		p.whole = 0
		if err := os.Remove(p.path); err != nil {
			return nil, err
		}
	}
	if p.whole == 0 {
		return os.OpenFile(p.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	}
	f, err := os.OpenFile(p.path, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	_, err = f.Seek(p.whole, io.SeekStart)
	if err := errors.Join(f.Truncate(p.whole), err); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// close ends the part. It stays when the trial is to go on from there.
func (p *partFile) close(stays bool) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file != nil {
		_ = p.file.Close() // what was written is synced
		p.file = nil
	}
	places := append(p.torn, p.places...)
	p.places = nil
	if stays {
		return
	}
	for i, at := range places {
		if os.Remove(at.path) == nil && i > 0 {
			_ = os.Remove(filepath.Dir(at.path)) // when it was the last one there
		}
	}
}
