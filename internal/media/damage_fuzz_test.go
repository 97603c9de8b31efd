package media

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzDamage: a picture that the standard library unpacks is not called damaged, and one whose pixels it cannot unpack
// is not called sound.
func FuzzDamage(f *testing.F) {
	for _, pattern := range []string{"*.png", "*.gif", "*.jpg"} {
		names, err := filepath.Glob(filepath.Join("testdata", pattern))
		if err != nil || len(names) == 0 {
			f.Fatal("no files", err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			if len(data) > 2<<10 {
				continue
			}
			f.Add(data)
			f.Add(data[:len(data)*3/4])
		}
	}
	var row, gifRow bytes.Buffer
	grey := image.NewGray(image.Rect(0, 0, 3, 2))
	if err := (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&row, grey); err != nil {
		f.Fatal(err)
	}
	if err := gif.Encode(&gifRow, grey, &gif.Options{NumColors: 4}); err != nil {
		f.Fatal(err)
	}
	f.Add(row.Bytes())
	f.Add(gifRow.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		info, err := Inspect(data)
		if err != nil || int64(info.Width)*int64(info.Height) > 1<<20 { // the library keeps the pixels
			return
		}
		var decoded error
		switch info.Format {
		case "png":
			_, decoded = png.Decode(bytes.NewReader(data))
		case "gif":
			_, decoded = gif.DecodeAll(bytes.NewReader(data))
		case "jpeg":
			_, decoded = jpeg.Decode(bytes.NewReader(data))
		default:
			return
		}
		switch found := damage(data, &info); {
		case decoded == nil && found != nil:
			t.Errorf("the library unpacks it, and it is called damaged: %v", found)
		case decoded != nil && found == nil && ofPixels(decoded):
			t.Errorf("%s is called sound, and cannot be unpacked: %v", info.Format, decoded)
		}
	})
}

// ofPixels reports whether an error of a decoder is about what is packed, and not about something that is rare.
func ofPixels(err error) bool {
	text := err.Error()
	for _, what := range []string{"zlib", "flate", "lzw", "not enough pixel data", "not enough image data", "invalid checksum"} {
		if strings.Contains(text, what) {
			return true
		}
	}
	return false
}
