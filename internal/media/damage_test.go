package media

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image/png"
	"path/filepath"
	"strings"
	"testing"
)

// TestSoundPictures: intact images are accepted.
func TestSoundPictures(t *testing.T) {
	t.Parallel()
	for name, info := range files {
		kind := KindOf(TypeOf(filepath.Ext(name)))
		if kind != "image" || info.Format == "" {
			continue
		}
		if _, err := Check(kind, "", file(t, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDamagedPictures: an image with an intact header and damaged pixels is refused.
func TestDamagedPictures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		harm func(data []byte)
		want string
	}{
		{"rgb.png", func(data []byte) { data[len(data)/2] ^= 1 }, `the checksum of its chunk "IDAT" is wrong`},
		{"rgb.png", func(data []byte) { copy(data[bytes.Index(data, []byte("IDAT")):], "juNk"); sums(data) }, "it has no pixels"},
		{"rgb.png", func(data []byte) { clear(within(data, "IDAT")[40:]); sums(data) }, "they cannot be unpacked"},
		{"rgb.png", func(data []byte) { binary.BigEndian.PutUint32(within(data, "IHDR")[4:], 500); sums(data) }, "bytes of pixels, and needs"},
		{"moving.gif", func(data []byte) { clear(data[len(data)-100:]) }, "pixels, and needs"},
		{"bottom-up.bmp", func(data []byte) { binary.LittleEndian.PutUint32(data[22:], 5000) }, "bytes of pixels, and needs"},
		{"lossy.webp", func(data []byte) { copy(data[21:], "\xff\xff") }, "its first part is longer than the picture"},
		{"lossless.webp", func(data []byte) { copy(data[bytes.Index(data, []byte("VP8L")):], "junk") }, "before the picture"},
		{"photo.jpg", func(data []byte) { copy(data[len(data)/2:], "\xff\xd9") }, "its data are damaged: they cannot be unpacked"},
	} {
		data := bytes.Clone(file(t, c.name))
		c.harm(data)
		mime := TypeOf(filepath.Ext(c.name))
		got, err := Check("image", mime, data)
		if !errors.Is(err, ErrOtherType) || got != mime || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q, %v; want %s", c.name, got, err, c.want)
		}
	}
}

// within is the body of the first chunk of a PNG with that name.
func within(data []byte, name string) []byte {
	at := bytes.Index(data, []byte(name))
	return data[at+4:][:binary.BigEndian.Uint32(data[at-4:])]
}

// sums makes the checksums of a PNG right.
func sums(data []byte) {
	for rest := data[8:]; len(rest) > 0; {
		size := binary.BigEndian.Uint32(rest)
		binary.BigEndian.PutUint32(rest[8+size:], crc32.ChecksumIEEE(rest[4:8+size]))
		rest = rest[12+size:]
	}
}

// TestBytesOfPNG: a PNG has enough pixels where the standard library finds enough, in one pass and in seven.
func TestBytesOfPNG(t *testing.T) {
	t.Parallel()
	for _, of := range [][2]byte{{1, 0}, {4, 0}, {16, 0}, {8, 2}, {16, 2}, {2, 3}, {8, 4}, {8, 6}} {
		for _, interlaced := range []byte{0, 1} {
			for w := 1; w <= 10; w += 3 {
				for h := 1; h <= 10; h++ {
					header := make([]byte, 13)
					binary.BigEndian.PutUint32(header, uint32(w))
					binary.BigEndian.PutUint32(header[4:], uint32(h))
					header[8], header[9], header[12] = of[0], of[1], interlaced
					info := Info{Format: "png", Width: w, Height: h}
					want := int(bytesOfPNG(header, &info))
					for _, n := range []int{want - 1, want} {
						data := picture(header, make([]byte, n))
						_, err := png.Decode(bytes.NewReader(data))
						if ours := damage(data, &info); (ours == nil) != (n == want) || (err == nil) != (n == want) {
							t.Errorf("%v, %d×%d, %d of %d bytes: %v and %v", header, w, h, n, want, ours, err)
						}
					}
				}
			}
		}
	}
}

// picture is a PNG of those bytes of pixels.
func picture(header, pixels []byte) []byte {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(pixels)
	_ = z.Close()
	out := []byte("\x89PNG\r\n\x1a\n")
	for _, c := range []struct {
		name string
		body []byte
	}{{"IHDR", header}, {"PLTE", make([]byte, 3)}, {"IDAT", packed.Bytes()}, {"IEND", nil}} {
		if c.name == "PLTE" && header[9] != 3 {
			continue
		}
		out = binary.BigEndian.AppendUint32(out, uint32(len(c.body)))
		out = append(append(out, c.name...), c.body...)
		out = append(out, 0, 0, 0, 0)
	}
	sums(out)
	return out
}

// TestBlankDocuments: a document without a word is a mistake, as an empty one is.
func TestBlankDocuments(t *testing.T) {
	t.Parallel()
	for _, text := range []string{" ", "\n\n\t\r\n", "\ufeff \n"} {
		for _, mime := range []string{"", "text/plain", "text/markdown", "text/csv"} {
			if _, err := Check("document", mime, []byte(text)); err == nil || err.Error() != "it holds nothing but white space" {
				t.Errorf("%q as %q: %v", text, mime, err)
			}
		}
	}
}
