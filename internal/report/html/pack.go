package html

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// blockSize is how much text of trials goes into one block before the next one starts: enough to compress well,
// little enough to unpack in an instant when a trial is opened.
const blockSize = 256 << 10

// packer writes trials as numbered blocks of gzip in base64, each in a data block that no browser executes. A line of
// a block is the command of a trial as JSON, a tab, and the trial as compact JSON, which holds neither tab nor newline.
type packer struct {
	w      io.Writer
	name   string
	firsts []int // index of the first trial of each block
	gz     *gzip.Writer
	b64    io.WriteCloser // of the open block; nil when none is open
	size   int            // of the open block, unpacked
}

func newPacker(w io.Writer, name string) *packer {
	return &packer{w: w, name: name, firsts: []int{}, gz: gzip.NewWriter(io.Discard)}
}

// add appends the trial with the given index.
func (p *packer) add(index int, command string, raw []byte) error {
	if p.b64 == nil {
		if err := p.open(fmt.Sprintf("%s-%d", p.name, len(p.firsts))); err != nil {
			return err
		}
		p.firsts = append(p.firsts, index)
	}
	head, err := json.Marshal(command)
	if err != nil {
		return err
	}
	if bytes.ContainsAny(raw, "\t\n") {
		var compact bytes.Buffer
		if err := json.Compact(&compact, raw); err != nil {
			return err
		}
		raw = compact.Bytes()
	}
	for _, part := range [][]byte{head, {'\t'}, raw, {'\n'}} {
		if _, err := p.gz.Write(part); err != nil {
			return err
		}
		p.size += len(part)
	}
	if p.size >= blockSize {
		return p.close()
	}
	return nil
}

func (p *packer) open(id string) error {
	if _, err := fmt.Fprintf(p.w, "<script type=\"application/octet-stream\" id=%q>", id); err != nil {
		return err
	}
	p.size, p.b64 = 0, base64.NewEncoder(base64.StdEncoding, p.w)
	p.gz.Reset(p.b64)
	return nil
}

// close ends the open block, if there is one.
func (p *packer) close() error {
	if p.b64 == nil {
		return nil
	}
	if err := p.gz.Close(); err != nil {
		return err
	}
	if err := p.b64.Close(); err != nil {
		return err
	}
	p.b64 = nil
	_, err := io.WriteString(p.w, "</script>\n")
	return err
}

// writeIndex writes the index as a block of its own.
func writeIndex(w io.Writer, index *indexer) error {
	p := newPacker(w, "index")
	if err := p.open("index"); err != nil {
		return err
	}
	if err := index.encode(p.gz); err != nil {
		return err
	}
	return p.close()
}

// encode writes the index as JSON, one trial after the other.
func (x *indexer) encode(w io.Writer) error {
	text, err := json.Marshal(&x.index)
	if err != nil {
		return err
	}
	text, ends := bytes.CutSuffix(text, []byte("]}")) // the trials are last
	if !ends {
		return errors.New("the index does not end with its trials")
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := x.rows.encode(w); err != nil {
		return err
	}
	_, err = w.Write([]byte("]}\n"))
	return err
}
