package media

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// frame is the header of an MPEG audio frame.
type frame struct {
	mark    uint16 // version, layer and rate, which all frames of a stream share
	size    int    // bytes, header included
	samples int
	rate    int // samples a second
	side    int // bytes of side information after the header, in layer III
}

// Bit rates in kbit/s by their index, and sampling rates of MPEG 1; those of 2 and 2.5 are a half and a quarter.
var (
	bitRates = [5][15]int{
		{0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448}, // MPEG 1, layer I
		{0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384},    // MPEG 1, layer II
		{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},     // MPEG 1, layer III
		{0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256},    // MPEG 2, layer I
		{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},         // MPEG 2, layers II and III
	}
	samplingRates = [3]int{44100, 48000, 32000}
	halvings      = [4]int{2, 0, 1, 0} // by the version's number
)

// frameAt reads the header of a frame. It does not take frames without a bit rate ("free format").
func frameAt(data []byte) (f frame, ok bool) {
	if len(data) < 4 || data[0] != 0xff || data[1]&0xe0 != 0xe0 {
		return f, false
	}
	version, layer := data[1]>>3&3, 4-int(data[1]>>1&3) // version: 0 is MPEG 2.5, 2 is MPEG 2, 3 is MPEG 1
	bitRate, rate, padding := data[2]>>4, data[2]>>2&3, int(data[2]>>1&1)
	if version == 1 || layer == 4 || bitRate == 0 || bitRate == 15 || rate == 3 {
		return f, false
	}
	first := version == 3
	row := layer - 1
	if !first {
		row = min(2+layer, 4)
	}
	f.mark = uint16(data[1]&0xfe)<<8 | uint16(data[2]&0x0c)
	f.rate = samplingRates[rate] >> halvings[version]
	f.samples = 1152
	switch {
	case layer == 1:
		f.samples = 384
	case layer == 3 && !first:
		f.samples = 576
	}
	slot := 1
	if layer == 1 {
		slot = 4
	}
	bits := bitRates[row][bitRate] * 1000
	f.size = (f.samples/8/slot*bits/f.rate + padding) * slot
	f.side = sideInfo(first, data[3]>>6 == 3)
	return f, true
}

func sideInfo(first, mono bool) int {
	switch {
	case first && !mono:
		return 32
	case first || !mono:
		return 17
	}
	return 9
}

// isMP3 requires two frames in a row, or one frame that is the whole file, unless a tag comes first.
func isMP3(data []byte) bool {
	if prefix("ID3")(data) {
		return true
	}
	f, ok := frameAt(data)
	return ok && f.followed(data)
}

// followed reports whether the frame at the start of data is followed by a frame of the same stream, or by nothing.
func (f *frame) followed(data []byte) bool {
	if f.size >= len(data) {
		return f.size == len(data)
	}
	next, ok := frameAt(data[f.size:])
	return ok && next.mark == f.mark || tagAt(data[f.size:])
}

// tagAt reports whether a tag begins here, which may come after the last frame of a stream.
func tagAt(data []byte) bool {
	return prefix("TAG")(data) || prefix("APETAGEX")(data) || prefix("LYRICSBEGIN")(data)
}

// readMP3 counts the frames, which works for every bit rate. It compares their number with the one that an encoder may
// have noted in the first frame.
func readMP3(data []byte, info *Info) error {
	rest := nextFrame(afterTags(data), 0)
	first, ok := frameAt(rest)
	if !ok {
		return fmt.Errorf("%w before the first frame", errTruncated)
	}
	note := first.encoderInfo(rest)
	frames := 0
	for f := first; ok; f, ok = frameAt(rest) {
		if f.size > len(rest) {
			return tooShort("the last frame", uint64(f.size), len(rest))
		}
		frames++
		rest = nextFrame(rest[f.size:], first.mark)
	}
	if note.found {
		frames--
	}
	if note.frames > frames {
		return fmt.Errorf("%w: there should be %d frames and there are %d", errTruncated, note.frames, frames)
	}
	return info.setDuration(float64(max(frames*first.samples-note.silence, 0)), float64(first.rate))
}

// nextFrame skips data that is not a frame, such as the rest of a frame that was cut. It returns nil when no frame
// follows. A mark other than 0 is that of the stream.
func nextFrame(data []byte, mark uint16) []byte {
	for {
		f, ok := frameAt(data)
		if ok && mark != 0 && f.mark == mark || ok && f.followed(data) {
			return data
		}
		if len(data) == 0 || tagAt(data) {
			return nil
		}
		i := bytes.IndexByte(data[1:], 0xff)
		if i < 0 {
			return nil
		}
		data = data[1+i:]
	}
}

// encoderInfo is the encoder's data in the first frame, which then has no sound.
type encoderInfo struct {
	found   bool
	frames  int // 0: not said
	silence int // samples that the encoder added at both ends
}

// encoderInfo finds what the encoder noted in the frame: the headers Xing, Info and VBRI.
func (f *frame) encoderInfo(data []byte) (n encoderInfo) {
	data = data[:min(f.size, len(data))]
	const header, vbri = 4, 4 + 32
	be := binary.BigEndian
	if b, ok := bytesFrom(data, vbri); ok && prefix("VBRI")(b) && len(b) >= 18 {
		return encoderInfo{found: true, frames: int(be.Uint32(b[14:]))}
	}
	b, ok := bytesFrom(data, header+f.side)
	if !ok || len(b) < 8 || !prefix("Xing")(b) && !prefix("Info")(b) {
		return n
	}
	n.found = true
	flags := be.Uint32(b[4:])
	b = b[8:]
	if flags&1 != 0 && len(b) >= 4 {
		n.frames = int(be.Uint32(b))
	}
	for i, size := range []int{4, 4, 100, 4} { // frames, bytes, table of contents, quality
		if ok && flags>>i&1 != 0 {
			b, ok = bytesFrom(b, size)
		}
	}
	const delays = 21 // offset of the two lengths after the encoder's name
	if ok && len(b) >= delays+3 {
		d := b[delays:]
		n.silence = int(d[0])<<4 + int(d[1])>>4 + int(d[1]&15)<<8 + int(d[2])
	}
	return n
}
