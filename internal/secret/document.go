package secret

import "io"

// Format says what of a document is arena's own: its structure stays, whatever a secret equals.
type Format uint8

// The formats of what arena writes.
const (
	Plain  Format = iota // text, Markdown
	JSON                 // also a line at a time
	Markup               // HTML, XML
)

// Document guards a writer to which a document is written in pieces of any size. What is held back for a secret that
// may go on in the next piece is written by Close, which does not close w.
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

// piece is how much of a document is held back.
const piece = 1 << 15

// token is what a walk has before it, and what it made of what was there.
type token struct {
	set  *Set
	text []byte
	at   int
	last bool // nothing comes after the text
	out  []byte
	from int // the text from here up to at is to be added to out
}

// walk goes through a document of a format, token by token.
type walk interface {
	// step takes a token; false: its end is not there yet.
	step(t *token) bool
}

// whole goes through all tokens that are whole.
func (t *token) whole(w walk) {
	for t.at < len(t.text) && w.step(t) {
	}
}

// copy takes a text up to a place as it is.
func (t *token) copy(end int) { t.at = end }

// clean takes a text up to a place without secrets. It is a text by itself, with nothing of the format in it.
func (t *token) clean(end int) {
	if p := t.text[t.at:end]; t.set.next(p, 0, false).size > 0 {
		t.replace(end, t.set.without(p, false))
	}
	t.at = end
}

// replace takes another text for that up to a place.
func (t *token) replace(end int, by []byte) {
	t.out = append(append(t.out, t.text[t.from:t.at]...), by...)
	t.at, t.from = end, end
}

// done is what was taken.
func (t *token) done() []byte {
	t.out = append(t.out, t.text[t.from:t.at]...)
	t.from = t.at
	return t.out
}

// document is one in a format.
type document struct {
	token
	w      io.Writer
	walk   walk
	enough int // so much is waited for, lest a long token is read again with each piece
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
	d.whole(d.walk)
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

// plainDocument is one without any structure.
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
	// A secret that begins before the end of what goes out now ends before the end of what is here.
	if err := d.writeUpTo(len(d.pending) - d.set.longest - 1); err != nil {
		return 0, err
	}
	return len(p), nil
}

// writeUpTo writes what is pending up to an offset, and the whole of a secret that begins before it.
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
