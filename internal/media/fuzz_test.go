package media

import (
	"os"
	"path/filepath"
	"testing"
)

// fuzz feeds one reader with bytes that it takes for its own.
func fuzz(f *testing.F, seeds string) {
	f.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", seeds))
	if err != nil || len(names) == 0 {
		f.Fatalf("no file is %s: %v", seeds, err)
	}
	var reader *kind
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		reader = kindOf(data)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if kindOf(data) != reader {
			return
		}
		info, err := Inspect(data)
		verify(t, data, info, err)
	})
}

func kindOf(data []byte) *kind {
	for i := range kinds {
		if kinds[i].is(data) {
			return &kinds[i]
		}
	}
	return nil
}

func FuzzPNG(f *testing.F)      { fuzz(f, "*.png") }
func FuzzGIF(f *testing.F)      { fuzz(f, "*.gif") }
func FuzzJPEG(f *testing.F)     { fuzz(f, "*.jpg") }
func FuzzBMP(f *testing.F)      { fuzz(f, "*.bmp") }
func FuzzWebP(f *testing.F)     { fuzz(f, "*.webp") }
func FuzzWAV(f *testing.F)      { fuzz(f, "*.wav") }
func FuzzMP3(f *testing.F)      { fuzz(f, "*.mp3") }
func FuzzFLAC(f *testing.F)     { fuzz(f, "*.flac") }
func FuzzOgg(f *testing.F)      { fuzz(f, "*.ogg") }
func FuzzMP4(f *testing.F)      { fuzz(f, "*.mp4") }
func FuzzMatroska(f *testing.F) { fuzz(f, "*.webm") }
