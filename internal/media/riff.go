package media

import (
	"encoding/binary"
	"fmt"
	"iter"
)

// riffHeader is the mark, the size of the file and the form type.
const riffHeader = 12

func isRIFF(form string) func([]byte) bool {
	return func(data []byte) bool {
		return len(data) >= riffHeader && string(data[:4]) == "RIFF" && string(data[8:riffHeader]) == form
	}
}

// chunk is a piece of a RIFF file.
type chunk struct {
	id   []byte
	size uint32 // as the file says
	body []byte // as far as it is there
	rest []byte // body and all that follows
}

// checkComplete is an error when some of the chunk is missing.
func (c *chunk) checkComplete() error {
	if uint64(c.size) > uint64(len(c.body)) {
		return tooShort(fmt.Sprintf("chunk %q", c.id), uint64(c.size), len(c.body))
	}
	return nil
}

// chunks walks a RIFF file. A header that is not whole ends it.
func chunks(data []byte) iter.Seq[chunk] {
	return func(yield func(chunk) bool) {
		for rest := data[riffHeader:]; len(rest) >= 8; {
			c := chunk{id: rest[:4], size: binary.LittleEndian.Uint32(rest[4:])}
			rest = rest[8:]
			n := min(uint64(c.size), uint64(len(rest)))
			c.body, c.rest = rest[:n], rest
			if !yield(c) {
				return
			}
			rest = rest[min(n+n%2, uint64(len(rest))):]
		}
	}
}

func readWebP(data []byte, info *Info) error {
	if size := uint64(binary.LittleEndian.Uint32(data[4:])) + 8; size > uint64(len(data)) {
		return tooShort("the file", size, len(data))
	}
	for c := range chunks(data) {
		if err := c.checkComplete(); err != nil {
			return err
		}
		switch b := c.body; string(c.id) {
		case "VP8X": // the canvas size
			if len(b) < 10 {
				return tooShort("the header", 10, len(b))
			}
			return info.setSize(1+int64(uint24(b[4:])), 1+int64(uint24(b[7:])))
		case "VP8L":
			if len(b) < 5 {
				return tooShort("the header", 5, len(b))
			}
			if b[0] != 0x2f {
				return fmt.Errorf("the lossless picture begins with %#x, expected 0x2f", b[0])
			}
			bits := binary.LittleEndian.Uint32(b[1:])
			return info.setSize(1+int64(bits&0x3fff), 1+int64(bits>>14&0x3fff))
		case "VP8 ":
			if len(b) < 10 {
				return tooShort("the header", 10, len(b))
			}
			if b[0]&1 != 0 || string(b[3:6]) != "\x9d\x01\x2a" {
				return fmt.Errorf("the lossy picture does not begin with a key frame")
			}
			const bits = 0x3fff // the upper two bits are a scale
			return info.setSize(int64(binary.LittleEndian.Uint16(b[6:])&bits), int64(binary.LittleEndian.Uint16(b[8:])&bits))
		}
	}
	return fmt.Errorf("%w before the picture", errTruncated)
}

func uint24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }

// wave is the format chunk of a WAV file.
type wave struct {
	tag, align     uint16
	rate, byteRate uint32
}

// last returns the duration of a number of bytes.
func (f *wave) last(n int, samples uint32, info *Info) error {
	const pcm, float, aLaw, muLaw, extensible = 1, 3, 6, 7, 0xfffe
	switch f.tag {
	case pcm, float, aLaw, muLaw, extensible:
		return info.setDuration(float64(n), float64(f.align)*float64(f.rate))
	}
	if samples > 0 {
		return info.setDuration(float64(samples), float64(f.rate))
	}
	return info.setDuration(float64(n), float64(f.byteRate))
}

// streamedSize is the least value of a placeholder size: programs that write to a pipe do not know the size yet.
const streamedSize = 0x7ffff000

func readWAV(data []byte, info *Info) error {
	var f wave
	found := false
	var samples uint32 // of one channel; 0: not known
	for c := range chunks(data) {
		id := string(c.id)
		if id == "data" {
			if !found {
				return fmt.Errorf("the samples come before their format")
			}
			if c.size >= streamedSize || c.size == 0 && binary.LittleEndian.Uint32(data[4:]) == 0 {
				c.size, c.body = 0, c.rest
			}
			if err := c.checkComplete(); err != nil {
				return err
			}
			return f.last(len(c.body), samples, info)
		}
		if err := c.checkComplete(); err != nil {
			return err
		}
		switch b := c.body; {
		case id == "fmt " && len(b) < 16:
			return tooShort("the format", 16, len(b))
		case id == "fmt ":
			le := binary.LittleEndian
			found = true
			f = wave{tag: le.Uint16(b), rate: le.Uint32(b[4:]), byteRate: le.Uint32(b[8:]), align: le.Uint16(b[12:])}
		case id == "fact" && len(b) >= 4:
			samples = binary.LittleEndian.Uint32(b)
		}
	}
	return fmt.Errorf("%w before the samples", errTruncated)
}
