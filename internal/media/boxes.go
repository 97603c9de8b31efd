package media

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"
)

// box is a box (in QuickTime's words, an atom) of an MP4 or MOV file.
type box struct {
	kind []byte
	body []byte
}

// boxes walks the boxes on one level. An error is the last thing it yields.
func boxes(data []byte) iter.Seq2[box, error] {
	return func(yield func(box, error) bool) {
		for rest := data; len(rest) > 0; {
			if len(rest) < 8 {
				if binary.BigEndian.Uint32(append(slices.Clip(rest), 0, 0, 0, 0)) != 0 {
					yield(box{}, fmt.Errorf("%w within the header of a box", errTruncated))
				}
				return // QuickTime ends some lists with a zero
			}
			size, header := uint64(binary.BigEndian.Uint32(rest)), uint64(8)
			switch {
			case size == 0: // the box extends to the end of the data
				size = uint64(len(rest))
			case size == 1 && len(rest) < 16:
				yield(box{}, fmt.Errorf("%w within the header of a box", errTruncated))
				return
			case size == 1:
				size, header = binary.BigEndian.Uint64(rest[8:]), 16
			}
			kind := rest[4:8]
			switch {
			case size < header:
				yield(box{}, fmt.Errorf("box %q says that it has %d bytes, which its header alone exceeds", kind, size))
				return
			case size > uint64(len(rest)):
				yield(box{}, tooShort(fmt.Sprintf("box %q", kind), size, len(rest)))
				return
			}
			if !yield(box{kind, rest[header:size]}, nil) {
				return
			}
			rest = rest[size:]
		}
	}
}

func isBoxes(data []byte) bool {
	if len(data) < 8 {
		return false
	}
	switch string(data[4:8]) {
	case "ftyp", "moov", "mdat", "wide", "pnot": // files without ftyp are older
		return true
	}
	return false
}

// brand returns the format for the brand of a file.
func brand(data []byte) string {
	if string(data[4:8]) != "ftyp" {
		return "mov"
	}
	switch string(data[8:min(12, len(data))]) {
	case "qt  ":
		return "mov"
	case "avif", "avis":
		return "avif"
	case "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1":
		return "heic"
	}
	return "mp4"
}

// movie is the data in the boxes of an MP4 file.
type movie struct {
	scale    uint32  // ticks a second
	ticks    float64 // 0: not said
	fragment float64 // ticks of all fragments; 0: not said
	longest  float64 // seconds of the longest track; 0: not said
	info     *Info
}

func readBoxes(data []byte, info *Info) error {
	info.Format = brand(data)
	m := movie{info: info}
	found := info.Format == "avif" || info.Format == "heic" // pictures have no movie box
	for b, err := range boxes(data) {
		if err != nil {
			return err
		}
		if string(b.kind) == "moov" && !found {
			found = true
			if err := m.read(b.body); err != nil {
				return err
			}
		}
	}
	if !found {
		return fmt.Errorf("%w before the box \"moov\"", errTruncated)
	}
	return m.last()
}

func (m *movie) read(data []byte) error {
	for b, err := range boxes(data) {
		switch {
		case err != nil:
		case string(b.kind) == "mvhd":
			m.scale, m.ticks, err = clock(b)
		case string(b.kind) == "mvex":
			err = m.extends(b.body)
		case string(b.kind) == "trak":
			err = m.track(b.body)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// last sets the duration. The header of a fragmented file has none, unless it gives the duration of all fragments.
func (m *movie) last() error {
	switch {
	case m.ticks > 0:
		return m.info.setDuration(m.ticks, float64(m.scale))
	case m.fragment > 0:
		return m.info.setDuration(m.fragment, float64(m.scale))
	case m.longest > 0:
		return m.info.setDuration(m.longest, 1)
	}
	return nil
}

func (m *movie) extends(data []byte) error {
	for b, err := range boxes(data) {
		if err != nil {
			return err
		}
		if f, ok := fullBoxOf(b); ok && string(b.kind) == "mehd" {
			m.fragment = f.ticks(0)
		}
	}
	return nil
}

// track reads the length of a track, and the size of the first video track.
func (m *movie) track(data []byte) error {
	var width, height int64
	var pictures bool
	for b, err := range boxes(data) {
		if err != nil {
			return err
		}
		switch string(b.kind) {
		case "tkhd":
			width, height, err = displaySize(b)
		case "mdia":
			pictures, err = m.medium(b.body)
		}
		if err != nil {
			return err
		}
	}
	if !pictures || m.info.Width > 0 || width == 0 && height == 0 {
		return nil
	}
	return m.info.setSize(width, height)
}

// medium reads the timescale of a track and reports whether it is a video track.
func (m *movie) medium(data []byte) (pictures bool, err error) {
	for b, err := range boxes(data) {
		if err != nil {
			return false, err
		}
		switch string(b.kind) {
		case "mdhd":
			scale, ticks, err := clock(b)
			if err != nil {
				return false, err
			}
			if scale > 0 {
				m.longest = max(m.longest, ticks/float64(scale))
			}
		case "hdlr":
			pictures = len(b.body) >= 12 && string(b.body[8:12]) == "vide"
		}
	}
	return pictures, nil
}

// fullBox is a box with a version, which decides the width of its times.
type fullBox struct {
	long bool
	body []byte // after version and flags
}

func fullBoxOf(b box) (fullBox, bool) {
	f := fullBox{}
	if len(b.body) < 4 {
		return f, false
	}
	f.long, f.body = b.body[0] == 1, b.body[4:]
	return f, true
}

// ticks reads a length at an offset; 0 when the length is not known.
func (f fullBox) ticks(at int) float64 {
	rest, ok := bytesFrom(f.body, at)
	switch {
	case !ok:
	case f.long && len(rest) >= 8:
		if v := binary.BigEndian.Uint64(rest); v != math.MaxUint64 {
			return float64(v)
		}
	case !f.long && len(rest) >= 4:
		if v := binary.BigEndian.Uint32(rest); v != math.MaxUint32 {
			return float64(v)
		}
	}
	return 0
}

// clock reads what the headers of movies and of media have in common: ticks a second and the length in ticks.
func clock(b box) (scale uint32, ticks float64, err error) {
	f, ok := fullBoxOf(b)
	at := 8 // after the times of creation and change
	if f.long {
		at = 16
	}
	need := at + 8
	if f.long {
		need += 4
	}
	if !ok || len(f.body) < need {
		return 0, 0, tooShort(fmt.Sprintf("box %q", b.kind), uint64(need)+4, len(b.body))
	}
	return binary.BigEndian.Uint32(f.body[at:]), f.ticks(at + 4), nil
}

// displaySize reads the display size from a track's header, after rotation.
func displaySize(b box) (width, height int64, err error) {
	f, ok := fullBoxOf(b)
	at := 36 // offset of the matrix, after times, number, length, layer, group and volume
	if f.long {
		at = 48
	}
	const matrix = 36
	if !ok || len(f.body) < at+matrix+8 {
		return 0, 0, tooShort(`box "tkhd"`, uint64(at+matrix+12), len(b.body))
	}
	be := binary.BigEndian
	m := f.body[at:]
	width, height = int64(be.Uint32(m[matrix:])>>16), int64(be.Uint32(m[matrix+4:])>>16)
	if be.Uint32(m) == 0 && be.Uint32(m[4:]) != 0 { // a quarter turn
		width, height = height, width
	}
	return width, height, nil
}
