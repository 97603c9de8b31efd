package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/png"
	"io"
	"strings"
)

// pixels takes the size from a decoder of the standard library, which stops after the header.
func (i *Info) pixels(data []byte, config func(io.Reader) (image.Config, error)) error {
	c, err := config(bytes.NewReader(data))
	if err != nil {
		text := strings.TrimPrefix(err.Error(), i.Format+": ")
		if strings.HasSuffix(text, io.EOF.Error()) { // not all decoders wrap it
			return fmt.Errorf("%w within the header", errTruncated)
		}
		return errors.New(text)
	}
	return i.setSize(int64(c.Width), int64(c.Height))
}

func readPNG(data []byte, info *Info) error {
	if err := info.pixels(data, png.DecodeConfig); err != nil {
		return err
	}
	const frame = 12 // length, type and checksum
	for rest := data[8:]; len(rest) > 0; {
		if len(rest) < frame {
			return tooShort("a chunk", frame, len(rest))
		}
		size := uint64(binary.BigEndian.Uint32(rest)) + frame
		if size > uint64(len(rest)) {
			return tooShort(fmt.Sprintf("chunk %q", rest[4:8]), size, len(rest))
		}
		if string(rest[4:8]) == "IEND" {
			return nil
		}
		rest = rest[size:]
	}
	return nil
}

func isGIF(data []byte) bool { return prefix("GIF87a")(data) || prefix("GIF89a")(data) }

func readGIF(data []byte, info *Info) error {
	if err := info.pixels(data, gif.DecodeConfig); err != nil {
		return err
	}
	const header, flags = 13, 10
	rest, ok := bytesFrom(data, header+palette(data[flags]))
	for ok && len(rest) > 0 {
		var done bool
		if rest, done, ok = gifBlock(rest); done {
			return nil
		}
	}
	if !ok {
		return fmt.Errorf("%w within a block", errTruncated)
	}
	return nil
}

// gifBlock skips an extension or a picture. ok is false when the block is incomplete; done reports that no block
// follows.
func gifBlock(data []byte) (rest []byte, done, ok bool) {
	const (
		extension, picture = '!', ','
		descriptor         = 10 // bytes of a picture descriptor, whose last byte is the flags
	)
	switch data[0] {
	case extension:
		rest, ok = bytesFrom(data, 2)
	case picture:
		if ok = len(data) >= descriptor; ok {
			rest, ok = bytesFrom(data, descriptor+palette(data[descriptor-1])+1)
		}
	default:
		return nil, true, true
	}
	for ok && len(rest) > 0 {
		n := int(rest[0])
		if rest, ok = bytesFrom(rest, n+1); n == 0 {
			return rest, false, ok
		}
	}
	return nil, false, false
}

// palette returns the length in bytes of the colour table that a flag byte announces.
func palette(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

func bytesFrom(data []byte, n int) ([]byte, bool) {
	if n > len(data) {
		return nil, false
	}
	return data[n:], true
}

// readJPEG reads the segments. The standard library refuses rarer kinds of JPEG (arithmetic, lossless, 12 bits).
func readJPEG(data []byte, info *Info) error {
	const scan = 0xda // the marker before the picture itself
	for rest := data[2:]; len(rest) > 0; {
		if rest[0] != 0xff {
			return fmt.Errorf("%#x stands where a segment should begin", rest[0])
		}
		if len(rest) > 1 && rest[1] == 0xff { // a fill byte
			rest = rest[1:]
			continue
		}
		if len(rest) < 4 {
			return fmt.Errorf("%w within the header of a segment", errTruncated)
		}
		marker, size := rest[1], 2+int(binary.BigEndian.Uint16(rest[2:]))
		if size > len(rest) {
			return tooShort(fmt.Sprintf("segment %#x", marker), uint64(size), len(rest))
		}
		body := rest[4:max(size, 4)]
		rest = rest[size:]
		if marker == scan {
			return checkScan(rest, info)
		}
		if !frameHeader(marker) {
			continue
		}
		if len(body) < 5 {
			return tooShort("the header", 5, len(body))
		}
		height, width := binary.BigEndian.Uint16(body[1:]), binary.BigEndian.Uint16(body[3:])
		if err := info.setSize(int64(width), int64(height)); err != nil {
			return err
		}
	}
	if info.Width == 0 {
		return fmt.Errorf("%w before the picture", errTruncated)
	}
	return nil
}

// frameHeader reports whether a JPEG marker begins the segment with the size.
func frameHeader(marker byte) bool {
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc
}

// checkScan checks a JPEG from its picture data on.
func checkScan(picture []byte, info *Info) error {
	switch {
	case info.Width == 0:
		return errors.New("the picture comes before its size")
	case !bytes.Contains(picture, []byte{0xff, 0xd9}):
		return fmt.Errorf("%w within the picture", errTruncated)
	}
	return nil
}

func isBMP(data []byte) bool {
	if !prefix("BM")(data) || len(data) < 18 {
		return false
	}
	switch binary.LittleEndian.Uint32(data[14:]) { // the size of the header is its version
	case 12, 16, 40, 52, 56, 64, 108, 124:
		return true
	}
	return false
}

func readBMP(data []byte, info *Info) error {
	const least = 26
	if len(data) < least {
		return tooShort("the header", least, len(data))
	}
	if size := uint64(binary.LittleEndian.Uint32(data[2:])); size > uint64(len(data)) {
		return tooShort("the file", size, len(data))
	}
	if binary.LittleEndian.Uint32(data[14:]) == 12 {
		return info.setSize(int64(binary.LittleEndian.Uint16(data[18:])), int64(binary.LittleEndian.Uint16(data[20:])))
	}
	width, height := int32(binary.LittleEndian.Uint32(data[18:])), int32(binary.LittleEndian.Uint32(data[22:]))
	return info.setSize(int64(width), max(int64(height), -int64(height))) // negative: the top row comes first
}
