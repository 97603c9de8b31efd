package media

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// files are those of testdata, with the values of ffprobe. If an encoder noted its padding, the duration is without it,
// in contrast to ffprobe's sum of frames.
var files = map[string]Info{
	"565.bmp":       {Format: "bmp", Width: 64, Height: 48},
	"adpcm.wav":     {Format: "wav", Seconds: 0.51025, Timed: true},
	"both.mp4":      {Format: "mp4", Width: 64, Height: 48, Seconds: 1.2, Timed: true},
	"bottom-up.bmp": {Format: "bmp", Width: 64, Height: 48},
	"flac.ogg":      {Format: "ogg", Codec: "flac", Seconds: 0.5, Timed: true},
	"float.wav":     {Format: "wav", Seconds: 0.2, Timed: true},
	"fragments.mp4": {Format: "mp4", Width: 64, Height: 48},
	"layer2.mp2":    {Format: "mp3", Seconds: 0.5224, Timed: true},
	"lossless.webp": {Format: "webp", Width: 64, Height: 48},
	"lossy.webp":    {Format: "webp", Width: 64, Height: 48},
	"moving.gif":    {Format: "gif", Width: 33, Height: 21},
	"moving.webp":   {Format: "webp", Width: 64, Height: 48},
	"mpeg25.mp3":    {Format: "mp3", Seconds: 0.5, Timed: true},
	"opus.ogg":      {Format: "ogg", Codec: "opus", Seconds: 0.5, Timed: true},
	"opus.webm":     {Format: "webm", Seconds: 0.508, Timed: true},
	"palette.png":   {Format: "png", Width: 64, Height: 48},
	"pcm.wav":       {Format: "wav", Seconds: 0.5, Timed: true},
	"photo.jpg":     {Format: "jpeg", Width: 64, Height: 48},
	"picture.avif":  {Format: "avif"},
	"piped.flac":    {Format: "flac"},
	"piped.wav":     {Format: "wav", Seconds: 0.5, Timed: true},
	"piped.webm":    {Format: "webm", Width: 64, Height: 48},
	"plain.mkv":     {Format: "mkv", Width: 64, Height: 48, Seconds: 1.2, Timed: true},
	"plain.mov":     {Format: "mov", Width: 64, Height: 48, Seconds: 1.2, Timed: true},
	"plain.mp3":     {Format: "mp3", Seconds: 0.5747, Timed: true},
	"plain.mp4":     {Format: "mp4", Width: 64, Height: 48, Seconds: 1.2, Timed: true},
	"plain.webm":    {Format: "webm", Width: 64, Height: 48, Seconds: 1.2, Timed: true},
	"rgb.png":       {Format: "png", Width: 64, Height: 48},
	"speex.ogg":     {Format: "ogg", Codec: "speex", Seconds: 0.5, Timed: true},
	"tagged.mp3":    {Format: "mp3", Seconds: 0.5, Timed: true},
	"tone.flac":     {Format: "flac", Seconds: 0.5, Timed: true},
	"tone.m4a":      {Format: "mp4", Seconds: 0.5, Timed: true},
	"turned.mp4":    {Format: "mp4", Width: 48, Height: 64, Seconds: 1.2, Timed: true},
	"varying.mp3":   {Format: "mp3", Seconds: 0.5486, Timed: true},
	"vorbis.ogg":    {Format: "ogg", Codec: "vorbis", Seconds: 0.5, Timed: true},
}

const milliseconds = 0.006 // maximum difference of a rounded duration

func TestRealFiles(t *testing.T) {
	t.Parallel()
	for name, want := range files {
		got, err := Inspect(file(t, name))
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, milliseconds)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// No file is forgotten in the table above.
func TestEveryFileIsExpected(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, ok := files[e.Name()]; !ok && !e.IsDir() && e.Name() != "make.sh" {
			t.Errorf("%s is in testdata and in no test", e.Name())
		}
	}
}

func file(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// Wherever a file breaks off, that is an error, an unknown format, or what a shorter file of the format could say.
func TestFilesThatBreakOff(t *testing.T) {
	t.Parallel()
	for name := range files {
		whole := file(t, name)
		for n := range whole {
			info, err := Inspect(whole[:n])
			verify(t, whole[:n], info, err)
		}
		switch name {
		case "piped.wav", "piped.flac", "tone.flac": // which do not say how many bytes follow
			continue
		}
		if _, err := Inspect(whole[:len(whole)-len(whole)/3]); !errors.Is(err, errTruncated) {
			t.Errorf("%s: two thirds of it: %v", name, err)
		}
	}
}

// TestDamagedFiles: whatever byte is changed, no impossible size is returned.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	for name := range files {
		data := file(t, name)
		for i := range min(len(data), 1200) {
			before := data[i]
			for _, b := range []byte{0, 1, 0x7f, 0x80, 0xff, before ^ 0x10} {
				data[i] = b
				info, err := Inspect(data)
				verify(t, data, info, err)
			}
			data[i] = before
		}
	}
}

// verify checks what Inspect promises for any bytes.
func verify(t *testing.T, data []byte, info Info, err error) {
	t.Helper()
	switch {
	case err != nil && info != Info{Format: info.Format}:
		t.Fatalf("%v and %+v", err, info)
	case errors.Is(err, ErrUnknown) != (info.Format == ""):
		t.Fatalf("%v and %+v", err, info)
	case info.Width < 0 || info.Height < 0 || (info.Width == 0) != (info.Height == 0):
		t.Fatalf("%d bytes: size %d×%d", len(data), info.Width, info.Height)
	case math.IsNaN(info.Seconds) || math.IsInf(info.Seconds, 0) || info.Seconds < 0 || !info.Timed && info.Seconds != 0:
		t.Fatalf("%d bytes: %+v", len(data), info)
	}
}

func TestUnknownBytes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\x89PN", "hello", "<svg xmlns='…'/>", "\xff\xfe\x00\x00",
		"BMW is a brand of cars.",
		"RIFF\x04\x00\x00\x00AVI ", "\xff\xfb", "\x00\x00\x00\x01"} {
		if info, err := Inspect([]byte(text)); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q: %+v, %v", text, info, err)
		}
	}
}
