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
	places []partPlace // places that have not failed; the first is written to
	file   *os.File    // nil: nothing was written to the first place yet
	lines  exchangeWriter
	failed []partPlace // places with a write error
}

// partPlace is a place where the part of a trial may be.
type partPlace struct {
	path     string
	readable int64 // length of the readable content; 0: the file is written from its start
}

// partPlaces returns the place in the folder of the cassettes, and the spare one for errors such as a full disk.
func (d *Folder) partPlaces(id string) []partPlace {
	name := filepath.Base(d.file(id)) + ".part"
	places := []partPlace{{path: filepath.Join(d.Dir, name)}}
	if d.Spare != "" {
		places = append(places, partPlace{path: filepath.Join(d.Spare, name)})
	}
	return places
}

// add writes and syncs an exchange.
func (p *partFile) add(e *entry) {
	p.mu.Lock()
	for len(p.places) > 0 && p.write(e) != nil {
		if p.file != nil {
			_ = p.file.Close() // this place is given up
		}
		p.file, p.failed, p.places = nil, append(p.failed, p.places[0]), p.places[1:]
	}
	f := p.file
	p.mu.Unlock()
	if f != nil {
		_ = f.Sync() // if that fails, writing the cassette fails too, and is reported
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
		p.lines = exchangeWriter{}
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

// open opens the file to append after its readable content, or creates it. It follows no link.
func (p *partPlace) open() (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(p.path), 0o755); err != nil {
		return nil, err
	}
	if info, err := os.Lstat(p.path); err == nil && (p.readable == 0 || !info.Mode().IsRegular()) {
		p.readable = 0
		if err := os.Remove(p.path); err != nil {
			return nil, err
		}
	}
	if p.readable == 0 {
		return os.OpenFile(p.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	}
	f, err := os.OpenFile(p.path, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	_, err = f.Seek(p.readable, io.SeekStart)
	if err := errors.Join(f.Truncate(p.readable), err); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// close closes the part, and removes it unless stays is set, for a trial that can be resumed.
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
	places := append(p.failed, p.places...)
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
