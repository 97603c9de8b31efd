package media

import (
	"mime"
	"slices"
	"strconv"
	"strings"
)

// names maps other names of formats to those of this package: the second parts of MIME types and file extensions, both
// without "x-". A name with several meanings has the kind of media before it.
var names = map[string]string{
	"jpg": "jpeg", "jpe": "jpeg", "jfif": "jpeg", "pjpeg": "jpeg",
	"ms-bmp": "bmp", "windows-bmp": "bmp", "dib": "bmp",
	"svg+xml": "svg", "tif": "tiff", "vnd.microsoft.icon": "ico", "heif": "heic",
	"wave": "wav", "pn-wav": "wav", "vnd.wave": "wav",
	"audio/mpeg": "mp3", "mpeg3": "mp3", "mpga": "mp3", "audio/mpg": "mp3",
	"oga": "ogg", "ogv": "ogg", "vorbis+ogg": "ogg",
	"audio/m4a": "mp4", "audio/m4b": "mp4", "m4v": "mp4", "mp4a-latm": "mp4", "3gp": "mp4", "3gpp": "mp4", "3gpp2": "mp4",
	"quicktime": "mov", "qt": "mov", "matroska": "mkv", "weba": "webm", "mka": "mkv",
	"l16": "pcm", "l8": "pcm", "l24": "pcm", "s16le": "pcm",
}

// Name returns the format for a MIME type, a file extension or another name: "wav" for "audio/x-wav; rate=8000". kind
// is image, audio or video. It returns "" for a text that names no format, such as "image/*".
func Name(kind, text string) string {
	text, _, _ = strings.Cut(text, ";")
	text = strings.ToLower(strings.TrimSpace(text))
	if class, sub, ok := strings.Cut(text, "/"); ok {
		if class == "application" && sub == "octet-stream" {
			return ""
		}
		text = sub
	}
	text = strings.TrimPrefix(strings.TrimPrefix(text, "."), "x-")
	if text == "*" {
		return ""
	}
	for _, name := range []string{kind + "/" + text, text} {
		if known, ok := names[name]; ok {
			return known
		}
	}
	return text
}

// readable are the formats that Inspect recognises.
var readable = []string{
	"avif", "bmp", "flac", "gif", "heic", "jpeg", "mkv", "mov", "mp3", "mp4", "ogg", "png", "wav", "webm", "webp",
}

// codecs are the codecs of Ogg streams. People name such files by them too.
var codecs = []string{"opus", "speex", "vorbis"}

// Readable reports whether Inspect recognises a format, given by its name or its codec.
func Readable(name string) bool {
	return slices.Contains(readable, name) || slices.Contains(codecs, name)
}

// Known returns the names of formats, for hints.
func Known() []string {
	others := []string{"aac", "aiff", "avi", "ico", "jpg", "m4a", "mpeg", "pcm", "svg", "tiff"}
	return slices.Concat(readable, codecs, others)
}

// Is reports whether the file has a format or codec of this name.
func (i *Info) Is(name string) bool { return name == i.Format || name != "" && name == i.Codec }

// Fits reports whether a file can have a format. Formats of one family differ only in a mark and fit each other.
func (i *Info) Fits(name string) bool { return i.Is(name) || family(name) == family(i.Format) }

func family(name string) string {
	switch name {
	case "mov":
		return "mp4"
	case "mkv":
		return "webm"
	case "avif":
		return "heic"
	}
	return name
}

// RawSeconds returns the duration of n bytes of sound without a header, whose MIME type gives the rate: "audio/L16;
// rate=24000". Samples have 16 bits unless the type gives another number.
func RawSeconds(mimeType string, n int) (seconds float64, ok bool) {
	full, params, err := mime.ParseMediaType(mimeType)
	if err != nil || Name("audio", full) != "pcm" {
		return 0, false
	}
	rate, err := strconv.Atoi(params["rate"])
	channels := 1
	if text, given := params["channels"]; given && err == nil {
		channels, err = strconv.Atoi(text)
	}
	if err != nil || rate <= 0 || channels <= 0 {
		return 0, false
	}
	width := 2
	switch _, sub, _ := strings.Cut(full, "/"); sub {
	case "l8":
		width = 1
	case "l24":
		width = 3
	}
	return float64(n) / (float64(width) * float64(channels) * float64(rate)), true
}
