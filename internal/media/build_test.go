package media

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
)

// The functions below build valid and invalid files. A part is text, bytes or a number, which is written in the byte
// order of the format.

func build(order binary.AppendByteOrder, parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch v := p.(type) {
		case string:
			b = append(b, v...)
		case []byte:
			b = append(b, v...)
		case uint8:
			b = append(b, v)
		case uint16:
			b = order.AppendUint16(b, v)
		case uint32:
			b = order.AppendUint32(b, v)
		case uint64:
			b = order.AppendUint64(b, v)
		}
	}
	return b
}

func little(parts ...any) []byte { return build(binary.LittleEndian, parts...) }
func big(parts ...any) []byte    { return build(binary.BigEndian, parts...) }

func zeros(n int) []byte { return make([]byte, n) }

// riff is a RIFF file with the right size in its header.
func riff(form string, chunks ...[]byte) []byte {
	body := bytes.Join(chunks, nil)
	return little("RIFF", uint32(len(body)+4), form, body)
}

func riffChunk(id string, parts ...any) []byte {
	body := little(parts...)
	return little(id, uint32(len(body)), body, zeros(len(body)%2))
}

// waveFormat is 16 bits, one channel.
func waveFormat(tag uint16, rate uint32) []byte {
	return riffChunk("fmt ", tag, uint16(1), rate, 2*rate, uint16(2), uint16(16))
}

// mp4Box is a box with a 32-bit size.
func mp4Box(kind string, parts ...any) []byte {
	body := big(parts...)
	return big(uint32(len(body)+8), kind, body)
}

// longBox is a box with a 64-bit size.
func longBox(kind string, parts ...any) []byte {
	body := big(parts...)
	return big(uint32(1), kind, uint64(len(body)+16), body)
}

func mp4File(boxes ...[]byte) []byte {
	return append(mp4Box("ftyp", "isom", uint32(0)), bytes.Join(boxes, nil)...)
}

func movieHeader(scale, ticks uint32) []byte {
	return mp4Box("mvhd", uint32(0), zeros(8), scale, ticks, zeros(80))
}

// trackBox is a track of pictures or sounds (handler vide or soun), with the short or the long form of its headers.
func trackBox(long bool, handler string, width, height, scale uint32, ticks uint64) []byte {
	head, clock := big(uint32(7), zeros(20)), big(uint32(0), zeros(8), scale, uint32(ticks), zeros(4))
	if long {
		head, clock = big(uint32(1<<24), zeros(32)), big(uint32(1<<24), zeros(16), scale, ticks, zeros(4))
	}
	matrix := big(uint32(1<<16), zeros(12), uint32(1<<16), zeros(12), uint32(1<<30))
	return mp4Box("trak",
		mp4Box("tkhd", head, zeros(16), matrix, width<<16, height<<16),
		mp4Box("mdia", mp4Box("mdhd", clock), mp4Box("hdlr", zeros(8), handler, zeros(13))),
	)
}

// ebml is an element whose size is written in eight bytes.
func ebml(id any, parts ...any) []byte {
	body := big(parts...)
	return big(id, uint64(1<<56)|uint64(len(body)), body)
}

// openEBML is an element that does not say where it ends.
func openEBML(id any, parts ...any) []byte { return big(id, uint8(0xff), big(parts...)) }

var (
	segmentID  = uint32(idSegment)
	infoID     = uint32(idInfo)
	tracksID   = uint32(idTracks)
	clusterID  = uint32(0x1f43b675)
	durationID = uint16(idDuration)
	scaleID    = big(uint8(0x2a), uint8(0xd7), uint8(0xb1))
	widthID    = uint8(idPixelWidth)
	heightID   = uint8(idPixelHeight)
)

func matroska(docType string, segment []byte) []byte {
	return append(ebml(uint32(idHeader), ebml(uint16(idDocType), docType)), segment...)
}

func pictureTrack(parts ...any) []byte {
	return ebml(tracksID, ebml(uint8(idTrackEntry), ebml(uint8(0x83), uint8(1)), ebml(uint8(idVideo), parts...)))
}

func float(f float64) uint64 { return math.Float64bits(f) }

// oggPage is a page of at most 255 × 255 bytes.
func oggPage(flags uint8, position uint64, stream uint32, body []byte) []byte {
	lacing := bytes.Repeat([]byte{255}, len(body)/255)
	lacing = append(lacing, byte(len(body)%255))
	return little("OggS", uint8(0), flags, position, stream, zeros(8), uint8(len(lacing)), lacing, body)
}

func opusHead(skip uint16) []byte {
	return little("OpusHead", uint8(1), uint8(1), skip, uint32(48000), uint16(0), uint8(0))
}

// mp3Frames are frames of MPEG 1, layer III, 128 kbit/s and 44.1 kHz: 417 bytes and 1152 samples each.
func mp3Frames(n int) []byte { return bytes.Repeat(mp3Frame(), n) }

func mp3Frame(parts ...any) []byte {
	b := big("\xff\xfb\x90\x00", big(parts...))
	return append(b, zeros(417-len(b))...)
}

// id3 is a tag with this size in its header.
func id3(said uint32, body string) []byte {
	size := []byte{byte(said >> 21 & 0x7f), byte(said >> 14 & 0x7f), byte(said >> 7 & 0x7f), byte(said & 0x7f)}
	return big("ID3\x04\x00", uint8(0), size, body)
}

func flacFile(rate uint32, samples uint64) []byte {
	bits := uint64(rate)<<44 | 15<<36 | samples
	return big("fLaC", uint32(0x80000022), zeros(10), bits, zeros(16))
}

func bmpFile(header uint32, fields ...any) []byte {
	b := little("BM", uint32(0), zeros(8), header, little(fields...))
	b = append(b, zeros(60)...)
	binary.LittleEndian.PutUint32(b[2:], uint32(len(b)))
	return b
}

// gifHeader is a screen of 20 by 30 pixels with two colours.
const gifHeader = "GIF89a\x14\x00\x1e\x00\x80\x00\x00" + "\x00\x00\x00\xff\xff\xff"

var jpegHeader = "\xff\xd8\xff\xdb\x00\x43\x00" + strings.Repeat("\x01", 64) +
	"\xff\xc0\x00\x0b\x08\x00\x30\x00\x40\x01\x01\x11\x00"
