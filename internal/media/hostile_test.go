package media

import (
	"bytes"
	"runtime"
	"testing"
)

// Files made of as many and as small pieces as the format allows. A reader that looked at anything twice for each
// piece would not come to an end; one that kept something of each, or believed a size, would take more than a little.
func TestHostileFilesTakeLittle(t *testing.T) {
	const n = 1 << 18
	many := func(piece ...any) []byte { return bytes.Repeat(big(piece...), n) }
	huge := big("\x89PNG\r\n\x1a\n", uint32(13), "IHDR", uint32(1<<31-1), uint32(1<<31-1))
	deep := []byte{}
	for range 1000 {
		deep = mp4Box("moov", mp4Box("trak", mp4Box("mdia", deep)))
	}
	const most = 64 << 10
	for name, data := range map[string][]byte{
		"png: empty chunks":      append(file(t, "rgb.png")[:33], many(uint32(0), "aaaa", uint32(0))...),
		"png: huge":              append(huge, "\x08\x02\x00\x00\x00checksum"...),
		"gif: empty extensions":  append([]byte(gifHeader), many("!\xfe\x00")...),
		"gif: blocks of 1":       append([]byte(gifHeader+"!\xfe"), many("\x01x")...),
		"jpeg: fill bytes":       append([]byte(jpegHeader), many("\xff\xff\xff\xff")...),
		"jpeg: empty segments":   append([]byte(jpegHeader), many("\xff\xfe\x00\x02")...),
		"webp: empty chunks":     riff("WEBP", many("EXIF", uint32(0))),
		"wav: empty chunks":      riff("WAVE", many("LIST", uint32(0))),
		"wav: formats":           riff("WAVE", bytes.Repeat(waveFormat(1, 100), n)),
		"mp3: empty tags":        many("ID3\x04\x00\x00\x00\x00\x00\x00"),
		"mp3: marks, no frames":  append(id3(0, ""), many("\xff\xff\xff\xff")...),
		"mp3: lonely frames":     append(id3(0, ""), many("\xff\xfb\x90\x00")...),
		"mp3: frames":            mp3Frames(1 << 14),
		"ogg: empty pages":       bytes.Repeat(oggPage(0, 0, 1, nil), n),
		"ogg: beginnings":        bytes.Repeat(oggPage(2, 48000, 1, opusHead(0)), n),
		"mp4: empty boxes":       mp4File(many(uint32(8), "free")),
		"mp4: empty tracks":      mp4File(mp4Box("moov", many(uint32(8), "trak"))),
		"mp4: one in another":    mp4File(deep),
		"mp4: a huge box":        mp4File(big(uint32(1), "moov", ^uint64(0))),
		"webm: empty elements":   matroska("webm", openEBML(segmentID, many("\xec\x80"))),
		"webm: empty tracks":     matroska("webm", openEBML(segmentID, ebml(tracksID, many("\xae\x80")))),
		"webm: one in another":   matroska("webm", bytes.Repeat(openEBML(segmentID), n)),
		"webm: a huge element":   matroska("webm", big(segmentID, uint64(1<<56|1<<55))),
		"zeros":                  zeros(n),
		"marks of nothing known": many("\xff\xff\xff\xff"),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		info, err := Inspect(data)
		runtime.ReadMemStats(&after)
		verify(t, data, info, err)
		taken := after.TotalAlloc - before.TotalAlloc
		if taken > most {
			t.Errorf("%s: took %d bytes for %d", name, taken, len(data))
		}
	}
}
