package media

import (
	"math"
	"slices"
	"testing"
)

func TestName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, text, want string }{
		{"image", "image/png", "png"},
		{"image", "IMAGE/X-PNG; charset=binary", "png"},
		{"image", "jpg", "jpeg"},
		{"image", ".JPG", "jpeg"},
		{"image", "image/pjpeg", "jpeg"},
		{"image", "image/x-ms-bmp", "bmp"},
		{"image", "image/svg+xml", "svg"},
		{"image", "mpeg", "mpeg"},
		{"audio", "audio/x-wav; rate=8000", "wav"},
		{"audio", "audio/vnd.wave", "wav"},
		{"audio", "audio/mpeg", "mp3"},
		{"audio", "MP3", "mp3"},
		{"audio", "audio/x-m4a", "mp4"},
		{"audio", "audio/L16; rate=24000", "pcm"},
		{"audio", "opus", "opus"},
		{"video", "video/mpeg", "mpeg"},
		{"video", "video/quicktime", "mov"},
		{"video", "video/x-matroska", "mkv"},
		{"video", "3gp", "mp4"},
		{"video", "video/*", ""},
		{"image", "application/octet-stream", ""},
		{"image", "", ""},
		{"image", " ; x=1", ""},
	} {
		if got := Name(c.kind, c.text); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.kind, c.text, got, c.want)
		}
	}
}

func TestNamesAgree(t *testing.T) {
	t.Parallel()
	for _, known := range names {
		if !slices.Contains(Known(), known) {
			t.Errorf("%s is meant by other names and is not known itself", known)
		}
	}
	for _, info := range files {
		if !Readable(info.Format) || info.Codec != "" && info.Codec != "flac" && !slices.Contains(codecs, info.Codec) {
			t.Errorf("%+v is not among the names", info)
		}
	}
}

func TestFits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		info     Info
		name     string
		is, fits bool
	}{
		{Info{Format: "png"}, "png", true, true},
		{Info{Format: "png"}, "jpeg", false, false},
		{Info{Format: "png"}, "", false, false},
		{Info{Format: "ogg", Codec: "opus"}, "ogg", true, true},
		{Info{Format: "ogg", Codec: "opus"}, "opus", true, true},
		{Info{Format: "ogg", Codec: "opus"}, "vorbis", false, false},
		{Info{Format: "mp4"}, "mov", false, true},
		{Info{Format: "webm"}, "mkv", false, true},
		{Info{Format: "heic"}, "avif", false, true},
	} {
		if c.info.Is(c.name) != c.is || c.info.Fits(c.name) != c.fits {
			t.Errorf("%+v, %q: %v, %v", c.info, c.name, c.info.Is(c.name), c.info.Fits(c.name))
		}
	}
}

func TestRawSeconds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		"audio/L16; rate=24000":            2,
		"audio/pcm;rate=24000":             2,
		"audio/L16; rate=24000;channels=2": 1,
		"audio/L8; rate=24000":             4,
		"audio/L24; rate=16000":            2,
		"audio/pcm":                        -1,
		"audio/pcm; rate=0":                -1,
		"audio/pcm; rate=fast":             -1,
		"audio/pcm; rate=8000; channels=0": -1,
		"audio/wav; rate=24000":            -1,
		"audio/pcm; rate":                  -1,
		"":                                 -1,
	} {
		got, ok := RawSeconds(text, 96000)
		if ok != (want >= 0) || ok && math.Abs(got-want) > 1e-9 {
			t.Errorf("%q: %v, %v, want %v", text, got, ok, want)
		}
	}
}
