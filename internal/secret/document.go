package secret

import "io"

// Format says which parts of a document are its structure. The structure stays, even where it equals a secret.
type Format uint8

// The formats that arena writes.
const (
	Plain  Format = iota // text, Markdown
	JSON                 // one document, or one on each line
	Markup               // HTML, XML
)

// Document returns a writer that redacts a document and passes it to w. The document may come in pieces of any size.
// The writer holds back text in which a secret may begin; Close writes it, and does not close w.
func (g *Guard) Document(w io.Writer, f Format) io.WriteCloser {
	set := g.Set()
	switch {
	case set == nil:
		return unguarded{w}
	case f == JSON:
		return &document{w: w, walk: &jsonWalk{}, token: token{set: set}}
	case f == Markup:
		return &document{w: w, walk: &markupWalk{}, token: token{set: set}}
	}
	return &plainDocument{set: set, w: w}
}

// unguarded is a writer that redacts nothing.
type unguarded struct{ io.Writer }

func (unguarded) Close() error { return nil }

// piece is how many bytes of a document are held back.
const piece = 1 << 15

// token is the part of a document that is read next, with the output so far.
type token struct {
	set  *Set
	text []byte
	at   int
	last bool // the text is complete
	out  []byte
	from int // text[from:at] is read and not yet in out
}

// walk reads a document of one format, token by token.
type walk interface {
	// step reads a token; false if its end has not come yet.
	step(t *token) bool
}

// readAll reads all complete tokens.
func (t *token) readAll(w walk) {
	for t.at < len(t.text) && w.step(t) {
	}
}

// copy reads up to an offset and keeps the text as it is.
func (t *token) copy(end int) { t.at = end }

// clean reads up to an offset and redacts the text. The text must be complete and hold no structure of the format.
func (t *token) clean(end int) {
	if p := t.text[t.at:end]; t.set.next(p, 0, false).size > 0 {
		t.replace(end, t.set.without(p, false))
	}
	t.at = end
}

// replace reads up to an offset and writes another text in its place.
func (t *token) replace(end int, by []byte) {
	t.out = append(append(t.out, t.text[t.from:t.at]...), by...)
	t.at, t.from = end, end
}

// done returns the output of everything that was read.
func (t *token) done() []byte {
	t.out = append(t.out, t.text[t.from:t.at]...)
	t.from = t.at
	return t.out
}

// document writes a document of a format with structure.
type document struct {
	token
	w      io.Writer
	walk   walk
	enough int // the length at which to read on, so that a long token is not read again with each piece
}

func (d *document) Write(p []byte) (int, error) {
	d.text = append(d.text, p...)
	if len(d.text) < max(piece, d.enough) {
		return len(p), nil
	}
	if err := d.flush(); err != nil {
		return 0, err
	}
	d.enough = 2 * len(d.text)
	return len(p), nil
}

func (d *document) flush() error {
	d.readAll(d.walk)
	_, err := d.w.Write(d.done())
	d.text, d.at, d.from, d.out = d.text[:copy(d.text, d.text[d.at:])], 0, 0, d.out[:0]
	return err
}

// Close writes what was held back.
func (d *document) Close() error {
	if len(d.text) == 0 {
		return nil
	}
	d.last = true
	return d.flush()
}

// plainDocument writes a document without structure.
type plainDocument struct {
	set     *Set
	w       io.Writer
	pending []byte
}

func (d *plainDocument) Write(p []byte) (int, error) {
	d.pending = append(d.pending, p...)
	if len(d.pending) < max(piece, 2*d.set.longest) {
		return len(p), nil
	}
	// A secret that begins before this offset ends within the pending text.
	if err := d.writeUpTo(len(d.pending) - d.set.longest - 1); err != nil {
		return 0, err
	}
	return len(p), nil
}

// writeUpTo writes the pending text up to an offset, and further to the end of a secret that begins before it.
func (d *plainDocument) writeUpTo(end int) error {
	from := 0
	for {
		h := d.set.next(d.pending, from, false)
		if h.size == 0 || h.at >= end {
			break
		}
		if _, err := d.w.Write(d.pending[from : h.at+h.mark]); err != nil {
			return err
		}
		if _, err := io.WriteString(d.w, Redacted); err != nil {
			return err
		}
		from = h.at + h.size
	}
	end = max(end, from)
	if _, err := d.w.Write(d.pending[from:end]); err != nil {
		return err
	}
	d.pending = d.pending[:copy(d.pending, d.pending[end:])]
	return nil
}

// Close writes what was held back.
func (d *plainDocument) Close() error {
	if len(d.pending) == 0 {
		return nil
	}
	_, err := d.w.Write(d.set.without(d.pending, false))
	d.pending = nil
	return err
}
