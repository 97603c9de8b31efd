package media

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"math/bits"
)

// The elements of WebM and Matroska files that matter here.
const (
	idHeader        = 0x1a45dfa3
	idDocType       = 0x4282
	idSegment       = 0x18538067
	idInfo          = 0x1549a966
	idTimecodeScale = 0x2ad7b1
	idDuration      = 0x4489
	idTracks        = 0x1654ae6b
	idTrackEntry    = 0xae
	idVideo         = 0xe0
	idPixelWidth    = 0xb0
	idPixelHeight   = 0xba
)

// element is an element of a WebM or Matroska file.
type element struct {
	id   uint32
	body []byte
	open bool // its size is unknown: the body extends to the end of the parent
}

// elements walks the elements on one level. An error is the last thing it yields, an open element too.
func elements(data []byte) iter.Seq2[element, error] {
	return func(yield func(element, error) bool) {
		for rest := data; len(rest) > 0; {
			id, n := variableInt(rest)
			if n == 0 || n > 4 {
				yield(element{}, fmt.Errorf("%#x begins no element", rest[0]))
				return
			}
			size, k := variableInt(rest[min(n, len(rest)):])
			if n > len(rest) || k == 0 && n == len(rest) || k > len(rest)-n {
				yield(element{}, fmt.Errorf("%w within the header of an element", errTruncated))
				return
			}
			if k == 0 {
				yield(element{}, fmt.Errorf("element %#x has no size", id))
				return
			}
			e := element{id: uint32(id)}
			rest = rest[n+k:]
			mark := uint64(1) << (7 * k)
			if size &= mark - 1; size == mark-1 {
				e.open, e.body = true, rest
				yield(e, nil)
				return
			}
			if size > uint64(len(rest)) {
				yield(e, tooShort(fmt.Sprintf("element %#x", id), size, len(rest)))
				return
			}
			e.body = rest[:size]
			if !yield(e, nil) {
				return
			}
			rest = rest[size:]
		}
	}
}

// variableInt reads a number of variable length, whose first byte gives its length. It keeps the length marker. It
// returns a length of 0 when the number is invalid or exceeds the data.
func variableInt(data []byte) (value uint64, length int) {
	if len(data) == 0 || data[0] == 0 {
		return 0, 0
	}
	length = bits.LeadingZeros8(data[0]) + 1
	for _, b := range data[:min(length, len(data))] {
		value = value<<8 | uint64(b)
	}
	return value, length
}

// number reads a whole number.
func (e *element) number() (uint64, error) {
	if len(e.body) > 8 {
		return 0, fmt.Errorf("element %#x is a number of %d bytes; 8 are the most", e.id, len(e.body))
	}
	var v uint64
	for _, b := range e.body {
		v = v<<8 | uint64(b)
	}
	return v, nil
}

func (e *element) float() (float64, error) {
	switch len(e.body) {
	case 0:
		return 0, nil
	case 4:
		return float64(math.Float32frombits(binary.BigEndian.Uint32(e.body))), nil
	case 8:
		return math.Float64frombits(binary.BigEndian.Uint64(e.body)), nil
	}
	return 0, fmt.Errorf("element %#x is a number of %d bytes, expected 4 or 8", e.id, len(e.body))
}

func readMatroska(data []byte, info *Info) error {
	info.Format = "mkv"
	for e, err := range elements(data) {
		if err != nil {
			return err
		}
		switch e.id {
		case idHeader:
			err = e.header(info)
		case idSegment:
			return e.segment(info)
		}
		if err != nil {
			return err
		}
	}
	return fmt.Errorf("%w before the segment", errTruncated)
}

func (e *element) header(info *Info) error {
	for c, err := range elements(e.body) {
		if err != nil {
			return err
		}
		if c.id == idDocType && string(c.body) == "webm" {
			info.Format = "webm"
		}
	}
	return nil
}

// segment reads up to the first cluster of unknown size; only pictures and sound follow.
func (e *element) segment(info *Info) error {
	for c, err := range elements(e.body) {
		switch {
		case err != nil:
		case c.id == idInfo:
			err = c.duration(info)
		case c.id == idTracks:
			err = c.tracks(info)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *element) duration(info *Info) error {
	const million, billion = 1e6, 1e9
	scale, ticks := uint64(million), 0.0 // a tick in nanoseconds
	for c, err := range elements(e.body) {
		switch {
		case err != nil:
		case c.id == idTimecodeScale:
			scale, err = c.number()
		case c.id == idDuration:
			ticks, err = c.float()
		}
		if err != nil {
			return err
		}
	}
	if ticks == 0 {
		return nil
	}
	return info.setDuration(ticks*float64(scale), billion)
}

// tracks reads the picture size of the first video track.
func (e *element) tracks(info *Info) error {
	for track, err := range elements(e.body) {
		if err != nil {
			return err
		}
		if track.id != idTrackEntry {
			continue
		}
		for c, err := range elements(track.body) {
			if err != nil {
				return err
			}
			if c.id != idVideo || info.Width > 0 {
				continue
			}
			if err := c.picture(info); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *element) picture(info *Info) error {
	var width, height uint64
	for c, err := range elements(e.body) {
		switch {
		case err != nil:
		case c.id == idPixelWidth:
			width, err = c.number()
		case c.id == idPixelHeight:
			height, err = c.number()
		}
		if err != nil {
			return err
		}
	}
	return info.setSize(int64(min(width, math.MaxInt64)), int64(min(height, math.MaxInt64)))
}
