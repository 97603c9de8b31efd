package media

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// made is a file built by hand; says is what its error contains.
type made struct {
	name string
	data []byte
	want Info
	says string
}

func check(t *testing.T, cases []made) {
	t.Helper()
	for _, c := range cases {
		got, err := Inspect(c.data)
		verify(t, c.data, got, err)
		if c.says != "" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v, want %q", c.name, err, c.says)
			}
			continue
		}
		if diff := cmp.Diff(c.want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", c.name, err, diff)
		}
	}
}

func TestPictures(t *testing.T) {
	t.Parallel()
	png := file(t, "rgb.png")
	const header = 8 + 25
	damaged := bytes.Clone(png)
	damaged[header-1] ^= 1
	gif := Info{Format: "gif", Width: 20, Height: 30}
	jpeg := Info{Format: "jpeg", Width: 64, Height: 48}
	scan := "\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00"
	check(t, []made{
		{"png: nothing after the header", png[:header], Info{Format: "png", Width: 64, Height: 48}, ""},
		{"png: checksum", damaged, Info{}, "png: invalid format: invalid checksum"},
		{"png: half a header", png[:20], Info{}, "png: cut off within the header"},
		{"png: half a chunk", png[:len(png)-20], Info{}, `png: cut off: chunk "IDAT" should have`},
		{"png: half of a chunk's header", append(bytes.Clone(png[:header]), 0, 0), Info{}, "png: cut off: a chunk"},
		{"gif: nothing after the header", []byte(gifHeader), gif, ""},
		{"gif: colours are missing", []byte(gifHeader[:16]), Info{}, "gif: cut off within the header"},
		{"gif: an extension, then the end", []byte(gifHeader + "!\xfe\x02hi\x00;trailing"), gif, ""},
		{"gif: half a comment", []byte(gifHeader + "!\xfe\x09hi"), Info{}, "gif: cut off within a block"},
		{"gif: half a picture", []byte(gifHeader + ",\x00\x00"), Info{}, "gif: cut off within a block"},
		{"gif: a picture's colours are missing", []byte(gifHeader + ",12345678\x80"), Info{}, "gif: cut off within a block"},
		{"gif: no end of the comment", []byte(gifHeader + "!\xfe\x02hi"), Info{}, "gif: cut off within a block"},
		{"jpeg: nothing after the header", []byte(jpegHeader), jpeg, ""},
		{"jpeg: whole", []byte(jpegHeader + "\xff" + scan + "data\xff\xd9"), jpeg, ""},
		{"jpeg: no end", []byte(jpegHeader + scan + "data"), Info{}, "jpeg: cut off within the picture"},
		{"jpeg: half a segment", []byte(jpegHeader + "\xff\xdb\x00\x43"), Info{}, "jpeg: cut off: segment 0xdb"},
		{"jpeg: no header", []byte("\xff\xd8\xff\xdb\x00\x43\x00"), Info{}, "jpeg: cut off: segment 0xdb"},
		{"jpeg: half a segment's header", []byte("\xff\xd8\xff\xdb\x00"), Info{}, "cut off within the header of a segment"},
		{"jpeg: a scan before the header", []byte("\xff\xd8" + scan), Info{}, "jpeg: the picture comes before its size"},
		{"jpeg: an empty header", []byte("\xff\xd8\xff\xc2\x00\x02"), Info{}, "jpeg: cut off: the header"},
		{"jpeg: only a comment", []byte("\xff\xd8\xff\xfe\x00\x02"), Info{}, "jpeg: cut off before the picture"},
		{"jpeg: no height", []byte("\xff\xd8\xff\xc2\x00\x07\x08\x00\x00\x00\x05"), Info{}, "5×0 pixels is not a size"},
		{"jpeg: dirt", []byte(jpegHeader + "dirt"), Info{}, "jpeg: 0x64 stands where a segment should begin"},
		{"bmp: OS/2", bmpFile(12, uint16(5), uint16(7)), Info{Format: "bmp", Width: 5, Height: 7}, ""},
		{"bmp: the top row first", bmpFile(40, uint32(5), ^uint32(6)), Info{Format: "bmp", Width: 5, Height: 7}, ""},
		{"bmp: a negative width", bmpFile(40, ^uint32(4), uint32(7)), Info{}, "bmp: -5×7 pixels is not a size"},
		{"bmp: the least height", bmpFile(40, uint32(1), uint32(1<<31)), Info{}, "bmp: 1×2147483648 pixels is not a size"},
		{"bmp: half", bmpFile(40, uint32(5), uint32(7))[:60], Info{}, "bmp: cut off: the file should have"},
		{"bmp: half a header", bmpFile(40, uint32(5), uint32(7))[:20], Info{}, "bmp: cut off: the header"},
		{"webp: canvas", riff("WEBP", riffChunk("VP8X", uint32(0), "\xff\x0f\x00", "\x00\x00\x00")),
			Info{Format: "webp", Width: 4096, Height: 1}, ""},
		{"webp: half a canvas", riff("WEBP", riffChunk("VP8X", uint32(0))), Info{}, "webp: cut off: the header"},
		{"webp: no lossless picture", riff("WEBP", riffChunk("VP8L", zeros(8))), Info{}, "begins with 0x0, expected 0x2f"},
		{"webp: half a lossless picture", riff("WEBP", riffChunk("VP8L", "\x2f")), Info{}, "webp: cut off: the header"},
		{"webp: no key frame", riff("WEBP", riffChunk("VP8 ", zeros(12))), Info{}, "does not begin with a key frame"},
		{"webp: half a lossy picture", riff("WEBP", riffChunk("VP8 ", zeros(9))), Info{}, "webp: cut off: the header"},
		{"webp: no picture", riff("WEBP", riffChunk("EXIF", "odd")), Info{}, "webp: cut off before the picture"},
		{"webp: a chunk beyond the end", little("RIFF", uint32(12), "WEBPVP8X", uint32(99)), Info{}, `chunk "VP8X" should`},
	})
}

func TestWAV(t *testing.T) {
	t.Parallel()
	second := Info{Format: "wav", Seconds: 1, Timed: true}
	format := waveFormat(1, 100)
	check(t, []made{
		{"with a chunk of odd length", riff("WAVE", riffChunk("LIST", "odd"), format, riffChunk("data", zeros(200))),
			second, ""},
		{"written to a pipe", little("RIFF", ^uint32(0), "WAVE", format, "data", ^uint32(0), zeros(200)), second, ""},
		{"never finished", little("RIFF", uint32(0), "WAVE", format, "data", uint32(0), zeros(200)), second, ""},
		{"silent", riff("WAVE", format, riffChunk("data"), riffChunk("LIST", zeros(20))),
			Info{Format: "wav", Timed: true}, ""},
		{"compressed", riff("WAVE", waveFormat(0x11, 100), riffChunk("fact", uint32(150)), riffChunk("data", zeros(9))),
			Info{Format: "wav", Seconds: 1.5, Timed: true}, ""},
		{"compressed, without a count", riff("WAVE", waveFormat(0x55, 100), riffChunk("data", zeros(200))), second, ""},
		{"cut off", little("RIFF", uint32(400), "WAVE", format, "data", uint32(300), zeros(200)), Info{},
			`wav: cut off: chunk "data" should have 300 bytes and has 200`},
		{"no rate", riff("WAVE", waveFormat(1, 0), riffChunk("data", zeros(8))), Info{}, "wav: 8 ticks at 0 a second"},
		{"no samples", riff("WAVE", format), Info{}, "wav: cut off before the samples"},
		{"no format", riff("WAVE", riffChunk("data", zeros(8))), Info{}, "wav: the samples come before their format"},
		{"half a format", riff("WAVE", riffChunk("fmt ", zeros(8))), Info{}, "wav: cut off: the format"},
		{"a chunk beyond the end", little("RIFF", uint32(0), "WAVE", "LIST", uint32(99)), Info{}, `chunk "LIST" should`},
	})
}

func TestMP3(t *testing.T) {
	t.Parallel()
	const frame = 1152.0 / 44100
	frames := func(n float64) Info { return Info{Format: "mp3", Seconds: n * frame, Timed: true} }
	xing := func(n uint32) []byte { return mp3Frame(zeros(32), "Xing", uint32(1), n) }
	vbri := func(n uint32) []byte { return mp3Frame(zeros(32), "VBRI", zeros(10), n) }
	lame := mp3Frame(zeros(32), "Info", uint32(15), uint32(5), uint32(0), zeros(104), "LAME3.100",
		zeros(12), "\x24\x03\x00")
	join := func(parts ...any) []byte { return big(parts...) }
	check(t, []made{
		{"frames", mp3Frames(3), frames(3), ""},
		{"one frame", mp3Frames(1), frames(1), ""},
		{"the encoder's count", join(xing(3), mp3Frames(3)), frames(3), ""},
		{"another encoder's count", join(vbri(3), mp3Frames(3)), frames(3), ""},
		{"more than was counted", join(xing(3), mp3Frames(5)), frames(5), ""},
		{"silence at the ends", join(lame, mp3Frames(5)), frames(5 - (576+768)/1152.0), ""},
		{"no count", join(mp3Frame(zeros(32), "Info", uint32(0)), mp3Frames(2)), frames(2), ""},
		{"tags around", join(id3(20, "12345678901234567890"), id3(2, "xx"), mp3Frames(2), "TAG", zeros(125)), frames(2), ""},
		{"a tag with a footer", join("ID3\x04\x00\x10\x00\x00\x00\x02xx", zeros(10), mp3Frames(2)), frames(2), ""},
		{"dirt between frames", join(mp3Frames(2), "\xff\xffdirt", mp3Frames(2)), frames(4), ""},
		{"fewer than were counted", join(xing(9), mp3Frames(3)), Info{}, "there should be 9 frames and there are 3"},
		{"half a frame", mp3Frames(3)[:1000], Info{}, "mp3: cut off: the last frame should have 417 bytes and has 166"},
		{"a tag and no frame", id3(10, "1234567890"), Info{}, "mp3: cut off before the first frame"},
		{"a tag beyond the end", id3(1<<28-1, "short"), Info{}, "mp3: cut off before the first frame"},
		{"half a tag", []byte("ID3\x04"), Info{}, "mp3: cut off before the first frame"},
	})
}

func TestFLAC(t *testing.T) {
	t.Parallel()
	head := flacFile(48000, 1<<36-1)
	notFirst := bytes.Clone(head)
	notFirst[4] = 4
	check(t, []made{
		{"the longest", head, Info{Format: "flac", Seconds: (1<<36 - 1) / 48000.0, Timed: true}, ""},
		{"behind a tag", big(id3(2, "xx"), flacFile(100, 150)), Info{Format: "flac", Seconds: 1.5, Timed: true}, ""},
		{"no length", flacFile(48000, 0), Info{Format: "flac"}, ""},
		{"no rate", flacFile(0, 7), Info{}, "flac: 7 ticks at 0 a second is not a duration"},
		{"half a header", head[:20], Info{}, "flac: cut off: the header should have 42 bytes and has 20"},
		{"another block first", notFirst, Info{}, "flac: block type 4 comes first"},
	})
}

func TestOgg(t *testing.T) {
	t.Parallel()
	const first, last = 2, 4
	opus := func(id uint32, skip uint16, end uint64) []byte {
		return big(oggPage(first, 0, id, opusHead(skip)), oggPage(0, 0, id, []byte("OpusTags")),
			oggPage(0, 1<<64-1, id, zeros(300)), oggPage(last, end, id, zeros(300)))
	}
	vorbis := oggPage(first, 0, 9, little("\x01vorbis", zeros(5), uint32(0), zeros(18)))
	video := oggPage(first, 0, 7, []byte("\x80theora"))
	sound := func(seconds float64) Info { return Info{Format: "ogg", Codec: "opus", Seconds: seconds, Timed: true} }
	check(t, []made{
		{"what is not heard does not count", opus(1, 480, 48480), sound(1), ""},
		{"two in a chain", big(opus(1, 0, 48000), opus(2, 0, 96000)), sound(3), ""},
		{"beside pictures", big(video, oggPage(0, 5, 7, zeros(9)), opus(1, 0, 48000)), sound(1), ""},
		{"a second sound beside it", big(oggPage(first, 0, 3, opusHead(0)), opus(1, 0, 48000)),
			Info{Format: "ogg", Codec: "opus"}, ""},
		{"shorter than what is not heard", opus(1, 4800, 10), sound(0), ""},
		{"only the headers", oggPage(first, 0, 1, opusHead(0)), Info{Format: "ogg", Codec: "opus"}, ""},
		{"nothing that is known", video, Info{Format: "ogg"}, ""},
		{"no rate", vorbis, Info{}, "ogg: 0 samples a second is not a rate"},
		{"half a page", opus(1, 0, 48000)[:600], Info{}, "ogg: cut off: a page should have"},
		{"half a page's header", big(opus(1, 0, 48000), "OggS\x00"), Info{}, "ogg: cut off within the header of a page"},
		{"something else behind", big(opus(1, 0, 48000), "OggX"), Info{}, `ogg: a page begins with "OggX"`},
	})
}

func TestMP4(t *testing.T) {
	t.Parallel()
	const unknown = 1<<32 - 1
	video := trackBox(false, "vide", 640, 360, 1000, 2500)
	long := mp4Box("mvhd", uint32(1<<24), zeros(16), uint32(1000), uint64(1)<<33, zeros(80))
	fragments := mp4Box("mvex", mp4Box("mehd", uint32(0), uint32(4000)))
	want := func(width, height int, seconds float64) Info {
		return Info{Format: "mp4", Width: width, Height: height, Seconds: seconds, Timed: seconds > 0}
	}
	check(t, []made{
		{"plain", mp4File(mp4Box("moov", movieHeader(600, 1500), video)), want(640, 360, 2.5), ""},
		{"long sizes and times", mp4File(longBox("moov", long, trackBox(true, "vide", 2, 1, 1, 1<<40)), longBox("mdat", "x")),
			want(2, 1, float64(uint64(1)<<33)/1000), ""},
		{"up to the end", mp4File(mp4Box("moov", movieHeader(600, 600), video), big(uint32(0), "mdat", zeros(9))),
			want(640, 360, 1), ""},
		{"only the track knows", mp4File(mp4Box("moov", movieHeader(600, unknown), video)), want(640, 360, 2.5), ""},
		{"only the track knows, in long", mp4File(mp4Box("moov", movieHeader(600, 0), trackBox(true, "soun", 0, 0, 10, 25))),
			want(0, 0, 2.5), ""},
		{"in fragments", mp4File(mp4Box("moov", movieHeader(1000, 0), fragments, video)), want(640, 360, 4), ""},
		{"nobody knows", mp4File(mp4Box("moov", movieHeader(600, 0), trackBox(true, "vide", 2, 1, 9, 1<<64-1))),
			want(2, 1, 0), ""},
		{"text has no pixels", mp4File(mp4Box("moov", movieHeader(1, 1), trackBox(false, "text", 9, 9, 1, 1))),
			want(0, 0, 1), ""},
		{"a zero at the end", mp4File(mp4Box("moov", movieHeader(1, 1)), zeros(4)), want(0, 0, 1), ""},
		{"without a type", mp4Box("moov", movieHeader(1, 1)), Info{Format: "mov", Seconds: 1, Timed: true}, ""},
		{"no width", mp4File(mp4Box("moov", trackBox(false, "vide", 0, 9, 1, 1))),
			Info{}, "mp4: 0×9 pixels is not a size"},
		{"no ticks in a second", mp4File(mp4Box("moov", movieHeader(0, 5))), Info{}, "mp4: 5 ticks at 0 a second"},
		{"no index", mp4File(mp4Box("mdat", "x")), Info{}, `mp4: cut off before the box "moov"`},
		{"half the data", mp4File(mp4Box("moov"), big(uint32(99), "mdat", zeros(50))),
			Info{}, `box "mdat" should have 99 bytes`},
		{"beyond all bounds", mp4File(big(uint32(1), "mdat", ^uint64(0))),
			Info{}, `box "mdat" should have 18446744073709551615`},
		{"half a long size", mp4File(big(uint32(1), "mdat", uint32(0))), Info{}, "mp4: cut off within the header of a box"},
		{"half a header", mp4File(big(uint32(9), "md")), Info{}, "mp4: cut off within the header of a box"},
		{"less than its header", mp4File(big(uint32(7), "free")), Info{}, `box "free" says that it has 7 bytes`},
		{"more than what it is in", mp4File(mp4Box("moov", uint32(50), "mvhd", zeros(20))), Info{}, `box "mvhd" should`},
		{"half a movie header", mp4File(mp4Box("moov", mp4Box("mvhd", zeros(8)))), Info{}, `box "mvhd" should have 20 bytes`},
		{"half a track header", mp4File(mp4Box("moov", mp4Box("trak", mp4Box("tkhd")))), Info{}, `box "tkhd" should have 84`},
		{"half a media header", mp4File(mp4Box("moov", mp4Box("trak", mp4Box("mdia", mp4Box("mdhd"))))),
			Info{}, `"mdhd" should`},
	})
}

func TestMatroska(t *testing.T) {
	t.Parallel()
	info := ebml(infoID, ebml(scaleID, uint32(500_000)), ebml(durationID, float(3000)))
	tracks := pictureTrack(ebml(widthID, uint16(640)), ebml(heightID, uint16(360)))
	want := Info{Format: "webm", Width: 640, Height: 360, Seconds: 1.5, Timed: true}
	timed := func(scale, ticks []byte) []byte { return matroska("webm", ebml(segmentID, ebml(infoID, scale, ticks))) }
	check(t, []made{
		{"plain", matroska("webm", ebml(segmentID, info, tracks, ebml(clusterID, zeros(9)))), want, ""},
		{"written to a pipe", matroska("webm", openEBML(segmentID, info, tracks, openEBML(clusterID, "\x00\x00"))), want, ""},
		{"the usual scale", matroska("matroska", ebml(segmentID, ebml(infoID, ebml(durationID, uint32(0x44fa0000))))),
			Info{Format: "mkv", Seconds: 2, Timed: true}, ""},
		{"no time", matroska("webm", ebml(segmentID, ebml(infoID))), Info{Format: "webm"}, ""},
		{"an empty time", timed(nil, ebml(durationID)), Info{Format: "webm"}, ""},
		{"no scale", timed(ebml(scaleID), ebml(durationID, float(1))), Info{Format: "webm", Timed: true}, ""},
		{"not a number", timed(nil, ebml(durationID, uint64(0x7ff8<<48))), Info{}, "webm: NaN ticks at 1e+09 a second"},
		{"a time of three bytes", timed(nil, ebml(durationID, "abc")), Info{}, "is a number of 3 bytes, expected 4 or 8"},
		{"a scale of nine bytes", timed(ebml(scaleID, zeros(9)), nil), Info{}, "is a number of 9 bytes; 8 are the most"},
		{"more pixels than there are", matroska("webm", ebml(segmentID, pictureTrack(ebml(widthID, ^uint64(0)),
			ebml(heightID, uint8(1))))), Info{}, "webm: 9223372036854775807×1 pixels is not a size"},
		{"no height", matroska("webm", ebml(segmentID, pictureTrack(ebml(widthID, uint8(1))))),
			Info{}, "1×0 pixels is not a size"},
		{"half", matroska("webm", ebml(segmentID, info, tracks))[:100],
			Info{}, "webm: cut off: element 0x18538067 should have"},
		{"no segment", matroska("webm", nil), Info{}, "webm: cut off before the segment"},
		{"half a name", matroska("webm", []byte("\x18\x53")), Info{}, "webm: cut off within the header of an element"},
		{"no size", matroska("webm", big(segmentID)), Info{}, "webm: cut off within the header of an element"},
		{"half a size", matroska("webm", big(segmentID, uint8(1))), Info{}, "webm: cut off within the header of an element"},
		{"an impossible name", matroska("webm", []byte{0, 1, 2}), Info{}, "webm: 0x0 begins no element"},
		{"an impossible size", matroska("webm", big(segmentID, uint8(0))), Info{}, "webm: element 0x18538067 has no size"},
		{"a damaged header", big(uint32(idHeader), uint8(0x81), uint8(0)), Info{}, "mkv: 0x0 begins no element"},
	})
}
