package html

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"io"
)

// openPage is how many rows are stored uncompressed. Others are stored as compressed JSON, at a tenth of the size.
const openPage = 1 << 10

// rows keeps the rows of the index until it is written: there may be very many.
type rows struct {
	open   []row
	closed int // rows before the open ones
	packed bytes.Buffer
	packer *flate.Writer // of the closed rows; nil: there are none
}

func (r *rows) add(one row) error {
	if len(r.open) == openPage {
		if err := r.pack(); err != nil {
			return err
		}
	}
	r.open = append(r.open, one)
	return nil
}

func (r *rows) pack() (err error) {
	if r.packer == nil {
		if r.packer, err = flate.NewWriter(&r.packed, flate.BestSpeed); err != nil {
			return err
		}
	}
	if err := encodeRows(r.packer, r.open, r.closed > 0); err != nil {
		return err
	}
	r.closed += len(r.open)
	r.open = r.open[:0]
	return nil
}

// encode writes the rows as the elements of a JSON list.
func (r *rows) encode(w io.Writer) error {
	if r.packer != nil {
		if err := r.packer.Close(); err != nil {
			return err
		}
		if _, err := io.Copy(w, flate.NewReader(&r.packed)); err != nil {
			return err
		}
	}
	return encodeRows(w, r.open, r.closed > 0)
}

// encodeRows writes rows; behind says that others come before.
func encodeRows(w io.Writer, all []row, behind bool) error {
	for i := range all {
		text, err := json.Marshal(&all[i])
		if err != nil {
			return err
		}
		if i > 0 || behind {
			text = append([]byte(","), text...)
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}
