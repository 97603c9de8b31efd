package attach

import (
	"encoding/base64"
	"errors"
	"io"
	"unsafe"

	"github.com/arena-evals/arena/internal/plainfile"
)

// raw is the bytes of a file, with as much room before them as it takes to encode them where they are: a film is not
// held twice.
type raw struct {
	buf []byte // as long as the encoded text; the bytes are at its end
	n   int    // how many bytes
}

func (r *raw) data() []byte { return r.buf[len(r.buf)-r.n:] }

// encode turns the bytes into base64. They are gone then. Nothing is written over that is still to be read: the text of
// k groups of three bytes ends at 4k, and the bytes behind these groups begin at or after that, as each group of the
// file makes the text a byte longer than the bytes are.
func (r *raw) encode() string {
	const group = 3 << 10
	var some [group]byte
	out, left := r.buf[:0], r.data()
	for len(left) > 0 {
		n := copy(some[:], left)
		left = left[n:]
		out = base64.StdEncoding.AppendEncode(out, some[:n])
	}
	r.buf, r.n = nil, 0 // nobody changes what is a string from here on
	return unsafe.String(unsafe.SliceData(out), len(out))
}

// readFile reads a file of at most MaxBytes.
func readFile(path string) (_ *raw, err error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return nil, plainfile.WithoutPath(err)
	}
	defer func() { _ = f.Close() }() // read only
	info, err := f.Stat()
	if err != nil {
		return nil, plainfile.WithoutPath(err)
	}
	if info.Size() > MaxBytes {
		return nil, tooLarge(info.Size())
	}
	r := &raw{make([]byte, base64.StdEncoding.EncodedLen(int(info.Size()))), int(info.Size())}
	switch _, err = io.ReadFull(f, r.data()); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errChanged
	case err != nil:
		return nil, plainfile.WithoutPath(err)
	}
	if more, _ := f.Read(make([]byte, 1)); more > 0 {
		return nil, errChanged
	}
	return r, nil
}

var errChanged = errors.New("it was changed while it was read")
