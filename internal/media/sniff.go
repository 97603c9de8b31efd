package media

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// types are the MIME types that files of a message may have, by the format or the file extension, with the kind of
// part that holds them.
var types = []struct{ name, kind, mime string }{
	{"jpeg", "image", "image/jpeg"}, {"png", "image", "image/png"}, {"gif", "image", "image/gif"},
	{"webp", "image", "image/webp"}, {"bmp", "image", "image/bmp"}, {"avif", "image", "image/avif"},
	{"heic", "image", "image/heic"},
	{"mp3", "audio", "audio/mpeg"}, {"wav", "audio", "audio/wav"}, {"ogg", "audio", "audio/ogg"},
	{"flac", "audio", "audio/flac"}, {"m4a", "audio", "audio/mp4"}, {"pcm", "audio", "audio/pcm"},
	{"mp4", "video", "video/mp4"}, {"webm", "video", "video/webm"}, {"mov", "video", "video/quicktime"},
	{"mkv", "video", "video/x-matroska"},
	{"pdf", "document", "application/pdf"}, {"txt", "document", "text/plain"}, {"md", "document", "text/markdown"},
	{"csv", "document", "text/csv"}, {"json", "document", "application/json"}, {"docx", "document", docxType},
}

const docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

// TypeOf is the MIME type of a file extension, with or without its dot; "": unknown.
func TypeOf(ext string) string {
	name := strings.TrimPrefix(strings.ToLower(ext), ".")
	if name == "jpg" {
		name = "jpeg"
	}
	for _, t := range types {
		if t.name == name {
			return t.mime
		}
	}
	return ""
}

// ExtensionOf is the file extension of a MIME type, with its dot; "": unknown. Browsers do not open such files as a
// page or a program.
func ExtensionOf(mime string) string {
	kind, _, _ := strings.Cut(mime, "/")
	if kind == "application" || kind == "text" {
		kind = "document"
	}
	for _, t := range types {
		if t.mime == mime || t.kind == kind && kind != "document" && t.name == Name(kind, mime) {
			return "." + t.name
		}
	}
	return ""
}

// KindOf is the kind of part for a MIME type: image, audio, video or document.
func KindOf(mime string) string {
	switch class, _, _ := strings.Cut(strings.ToLower(mime), "/"); class {
	case "image", "audio", "video":
		return class
	}
	return "document"
}

// documents are the types that a document may be declared as.
func isDocument(mime string) bool {
	for _, t := range types {
		if t.kind == "document" && t.mime == mime {
			return true
		}
	}
	return false
}

// ErrOtherType is wrapped by the errors of Check that say that bytes are of another type than declared, or cut off:
// what reads nothing but the declaration does not notice.
var ErrOtherType = errors.New("not what it is declared as")

// Check compares the bytes of a part with its declared MIME type, and returns this type, or else the detected one. A
// difference is an error, so that nothing else is sent than the author declares.
func Check(kind, declared string, data []byte) (mime string, err error) {
	if len(data) == 0 {
		return "", errors.New("it is empty")
	}
	if kind == "document" && len(bytes.TrimSpace(bytes.TrimPrefix(data, bom))) == 0 {
		return "", errors.New("it holds nothing but white space")
	}
	mime, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(declared)), ";")
	mime = strings.TrimSpace(mime)
	if mime == "application/octet-stream" || strings.HasSuffix(mime, "/*") {
		mime = ""
	}
	if mime != "" && KindOf(mime) != kind {
		return "", fmt.Errorf("it is declared as %s, which is no %s", mime, kind)
	}
	if kind == "document" {
		return checkDocument(mime, data)
	}
	format := Name(kind, mime)
	info, err := Inspect(data)
	if err == nil {
		err = damage(data, &info)
	}
	switch {
	case format == "pcm" && errors.Is(err, ErrUnknown) && looksLike(data) == "":
		return mime, nil // samples have no mark
	case errors.Is(err, ErrUnknown) && mime == "":
		return "", unknownFormat(data)
	case errors.Is(err, ErrUnknown) && !Readable(format):
		return "", fmt.Errorf("%s is not a type of %s that arena can hold its bytes against", mime, kind)
	case errors.Is(err, ErrUnknown):
		return mime, fmt.Errorf("%w: %s, and its bytes are not%s", ErrOtherType, mime, seems(data))
	case mime != "" && !Readable(format) || mime != "" && !info.Fits(format) && err == nil:
		return mime, fmt.Errorf("%w: %s, and its bytes are %s", ErrOtherType, mime, info.Format)
	case err != nil && mime == "": // there is no declared type
		return "", fmt.Errorf("it cannot be read: %w", err)
	case err != nil:
		return mime, fmt.Errorf("%w: it cannot be read: %w", ErrOtherType, err)
	case mime == "":
		return typeOfFormat(kind, &info)
	case kind == "video" && audible(&info):
		return mime, fmt.Errorf("%w: %s, and its bytes have no picture", ErrOtherType, mime)
	}
	return mime, nil
}

// audible reports whether a container that may hold a video holds only sound, if known.
func audible(info *Info) bool {
	return info.Width == 0 && (info.Format == "ogg" || info.Format == "wav")
}

// typeOfFormat is the detected type of bytes without a declared one.
func typeOfFormat(kind string, info *Info) (string, error) {
	name := info.Format
	if kind == "audio" && name == "mp4" {
		name = "m4a"
	}
	for _, t := range types {
		if t.name == name && t.kind == kind {
			return t.mime, nil
		}
	}
	return "", fmt.Errorf("its bytes are %s, which is no %s", info.Format, kind)
}

func checkDocument(mime string, data []byte) (string, error) {
	shown := looksLike(data)
	switch {
	case mime == "" && shown == "pdf":
		return "application/pdf", nil
	case mime == "" && shown == "docx":
		return docxType, nil
	case mime == "" && isText(data):
		return "text/plain", nil
	case mime == "":
		return "", unknownFormat(data)
	case !isDocument(mime):
		return "", fmt.Errorf("%s is not a type of document; known are %s", mime, strings.Join(documentTypes(), ", "))
	}
	fits := isText(data) && shown != "pdf" && shown != lfsPointer
	switch mime {
	case "text/plain", "text/csv":
		fits = fits && shown != "HTML" // such as a login page
	case "application/json":
		fits = fits && json.Valid(bytes.TrimPrefix(data, bom))
	case "application/pdf":
		fits = shown == "pdf"
	case docxType:
		fits = shown == "docx"
	}
	if !fits {
		return mime, fmt.Errorf("%w: %s, and its bytes are not%s", ErrOtherType, mime, seems(data))
	}
	if shown == "pdf" && !bytes.Contains(data[max(0, len(data)-pdfEnd):], []byte("%%EOF")) {
		return mime, fmt.Errorf("%w: it cannot be read: pdf: %w", ErrOtherType, errTruncated)
	}
	if shown == "pdf" && pageless(data) {
		return mime, fmt.Errorf("%w: it cannot be read: pdf: it has no page", ErrOtherType)
	}
	return mime, nil
}

// pageless reports whether a PDF has objects, and no page is among them. What is packed into a stream of objects is not
// known.
func pageless(data []byte) bool {
	return bytes.Contains(data, []byte("endobj")) && !bytes.Contains(data, []byte("/ObjStm")) && !pdfPage().Match(data)
}

// pdfPage finds an object that is a page. Names may have any of their characters written as #xx.
var pdfPage = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`/Type\s*/(?:Page[^\w]|[A-Za-z]*#)`)
})

// pdfEnd is how near the end of a PDF the mark of its end is.
const pdfEnd = 1 << 10

func documentTypes() (all []string) {
	for _, t := range types {
		if t.kind == "document" {
			all = append(all, t.mime)
		}
	}
	return all
}

// isText reports whether bytes are UTF-8 without the control characters that no text has.
func isText(data []byte) bool {
	return utf8.Valid(data) && !slices.ContainsFunc(data, func(b byte) bool {
		return b < ' ' && b != '\t' && b != '\n' && b != '\r' && b != '\f' && b != 0x1b
	})
}

// unknownFormat is the error of bytes without a declared type or a known format.
func unknownFormat(data []byte) error {
	if what := seems(data); what != "" {
		return errors.New("its bytes are of no format that such a part can have" + what)
	}
	return errors.New("it is of no known format; name its mime_type")
}

// seems describes the apparent format of bytes, for messages.
func seems(data []byte) string {
	if what := looksLike(data); what != "" {
		return "; they look like " + what
	}
	if info, err := Inspect(data); !errors.Is(err, ErrUnknown) {
		return "; they look like " + info.Format
	}
	return ""
}

// lfsPointer describes Git's placeholder for a large file that was not fetched.
const lfsPointer = "a pointer of Git LFS: git lfs pull fetches the file"

// bom may begin a text in UTF-8.
var bom = []byte("\xef\xbb\xbf")

// looksLike is what bytes are that are no image, sound or video; "" where nothing shows it.
func looksLike(data []byte) string {
	start := bytes.TrimPrefix(data[:min(len(data), 1<<10)], bom)
	start = bytes.ToLower(bytes.TrimLeft(start, " \t\r\n"))
	has := func(mark string) bool { return bytes.HasPrefix(start, []byte(mark)) }
	switch {
	case bytes.HasPrefix(data, []byte("%PDF-")):
		return "pdf"
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		listed := bytes.Contains(data[:min(len(data), 4<<10)], []byte("[Content_Types].xml"))
		if listed || bytes.Contains(data, []byte("word/")) {
			return "docx"
		}
		return "a zip archive"
	case has("<svg"), has("<?xml") && bytes.Contains(start, []byte("<svg")):
		return "SVG"
	case has("<!doctype html"), has("<html"), has("<head"), has("<body"), has("<script"):
		return "HTML"
	case has("<?xml"):
		return "XML"
	case has("version https://git-lfs"):
		return lfsPointer
	}
	return ""
}
