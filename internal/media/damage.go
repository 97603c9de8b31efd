package media

import (
	"bytes"
	"compress/lzw"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image/jpeg"
	"io"
	"strings"
)

// mostPixels is the maximum size of an image whose pixels are decoded, because decoded data may be a thousand times
// larger than the file.
const mostPixels = 25_000_000

// damage says what is wrong with the data of an image or sound whose structure is valid; nil: nothing, or the format or
// size is not checked.
func damage(data []byte, info *Info) error {
	if int64(info.Width)*int64(info.Height) > mostPixels {
		return nil
	}
	var err error
	if info.Timed && info.Seconds == 0 && info.Width == 0 {
		return fmt.Errorf("%s: it has no samples", info.Format)
	}
	switch info.Format {
	case "png":
		err = damagePNG(data, info)
	case "gif":
		err = damageGIF(data)
	case "jpeg":
		err = damageJPEG(data)
	case "bmp":
		err = damageBMP(data, info)
	case "webp":
		err = damageWebP(data)
	}
	if err != nil {
		return fmt.Errorf("%s: its data are damaged: %w", info.Format, err)
	}
	return nil
}

var errNoPixels = errors.New("it has no pixels")

// damagePNG holds the chunks of a PNG against their checksums, and unpacks the pixels without keeping them.
func damagePNG(data []byte, info *Info) error {
	var header []byte
	var packed []io.Reader
	for rest := data[8:]; len(rest) > 0; {
		size := int(binary.BigEndian.Uint32(rest))
		name, body := string(rest[4:8]), rest[8:8+size]
		if binary.BigEndian.Uint32(rest[8+size:]) != crc32.ChecksumIEEE(rest[4:8+size]) {
			return fmt.Errorf("the checksum of its chunk %q is wrong", name)
		}
		switch name {
		case "IHDR":
			header = body
		case "IDAT":
			packed = append(packed, bytes.NewReader(body))
		}
		if rest = rest[12+size:]; name == "IEND" {
			break
		}
	}
	if len(packed) == 0 {
		return errNoPixels
	}
	pixels, err := zlib.NewReader(io.MultiReader(packed...))
	if err != nil {
		return unpacking(err)
	}
	want := bytesOfPNG(header, info)
	switch n, err := io.Copy(io.Discard, io.LimitReader(pixels, want+1)); {
	case err != nil:
		return unpacking(err)
	case n < want:
		return fmt.Errorf("it has %d bytes of pixels, and needs %d", n, want)
	}
	return nil
}

// bytesOfPNG is how many bytes the pixels of a PNG have: in rows, each with a byte in front, in one pass or in seven.
func bytesOfPNG(header []byte, info *Info) (sum int64) {
	const depth, colour, interlaced = 8, 9, 12
	channels := map[byte]int{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[header[colour]]
	bits := channels * int(header[depth])
	pass := func(w, h int) {
		if w > 0 && h > 0 {
			sum += int64(h) * (1 + int64(w*bits+7)/8)
		}
	}
	if header[interlaced] == 0 {
		pass(info.Width, info.Height)
		return sum
	}
	for _, p := range [][4]int{ // the first column and row, and the steps to the next
		{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2},
	} {
		pass((info.Width-p[0]+p[2]-1)/p[2], (info.Height-p[1]+p[3]-1)/p[3])
	}
	return sum
}

// damageGIF unpacks the pictures of a GIF without keeping them.
func damageGIF(data []byte) error {
	const header, flags, picture, descriptor = 13, 10, ',', 10
	rest := data[header+palette(data[flags]):]
	pictures := 0
	for len(rest) > 0 {
		next, done, _ := gifBlock(rest)
		if done {
			break
		}
		if rest[0] == picture {
			pictures++
			w, h := binary.LittleEndian.Uint16(rest[5:]), binary.LittleEndian.Uint16(rest[7:])
			body := rest[descriptor+palette(rest[descriptor-1]):]
			if err := damageFrame(body, int64(w)*int64(h)); err != nil {
				return err
			}
		}
		rest = next
	}
	if pictures == 0 {
		return errNoPixels
	}
	return nil
}

// damageFrame unpacks one picture of a GIF: the width of its codes, and blocks with their length in front.
func damageFrame(body []byte, pixels int64) error {
	width := int(body[0])
	if width < 2 || width > 8 {
		return fmt.Errorf("codes of %d bits", width)
	}
	if pixels > mostPixels {
		return nil
	}
	var blocks []io.Reader
	for rest := body[1:]; len(rest) > 0 && rest[0] != 0; rest = rest[1+int(rest[0]):] {
		blocks = append(blocks, bytes.NewReader(rest[1:1+int(rest[0])]))
	}
	r := lzw.NewReader(io.MultiReader(blocks...), lzw.LSB, width)
	if n, err := io.Copy(io.Discard, io.LimitReader(r, pixels)); n < pixels {
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return unpacking(err)
		}
		return fmt.Errorf("a picture of it has %d pixels, and needs %d", n, pixels)
	}
	return nil
}

// damageJPEG decodes a JPEG of a kind that the standard library knows.
func damageJPEG(data []byte) error {
	_, err := jpeg.Decode(bytes.NewReader(data))
	if _, rare := errors.AsType[jpeg.UnsupportedError](err); rare {
		return nil
	}
	return unpacking(err)
}

// unpacking is the error of a decoder.
func unpacking(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("they end too early")
	}
	text := err.Error()
	for _, who := range []string{"zlib: ", "lzw: ", "flate: ", "invalid JPEG format: "} {
		text = strings.TrimPrefix(text, who)
	}
	return errors.New("they cannot be unpacked: " + text)
}
