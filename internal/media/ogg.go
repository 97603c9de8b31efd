package media

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
)

// page is a page of an Ogg file.
type page struct {
	first    bool // of its stream
	position int64
	stream   uint32
	body     []byte
}

// noPosition is the position of a page on which no packet ends.
const noPosition = -1

// pages walks an Ogg file. An error is the last thing it yields.
func pages(data []byte) iter.Seq2[page, error] {
	const header = 27
	return func(yield func(page, error) bool) {
		for rest := data; len(rest) > 0; {
			if !prefix("OggS")(rest) {
				yield(page{}, fmt.Errorf("a page begins with %q, expected \"OggS\"", rest[:min(4, len(rest))]))
				return
			}
			if len(rest) < header || len(rest) < header+int(rest[header-1]) {
				yield(page{}, fmt.Errorf("%w within the header of a page", errTruncated))
				return
			}
			start := header + int(rest[header-1])
			end := start
			for _, n := range rest[header:start] {
				end += int(n)
			}
			if end > len(rest) {
				yield(page{}, tooShort("a page", uint64(end), len(rest)))
				return
			}
			p := page{first: rest[5]&2 != 0, body: rest[start:end]}
			p.position = int64(binary.LittleEndian.Uint64(rest[6:]))
			p.stream = binary.LittleEndian.Uint32(rest[14:])
			if !yield(p, nil) {
				return
			}
			rest = rest[end:]
		}
	}
}

// audioStream is an audio stream in an Ogg file.
type audioStream struct {
	codec      string
	rate, skip int64 // samples a second; samples at the start that are not heard
	id         uint32
	end        int64 // position of the last page, in samples
}

func (v *audioStream) seconds() float64 { return float64(max(v.end-v.skip, 0)) / float64(v.rate) }

// readOgg reads the audio streams of a file. Files may be chained, with one stream after the other: the durations add
// up.
func readOgg(data []byte, info *Info) error {
	var v audioStream
	seconds, found, hasSound := 0.0, false, false
	for p, err := range pages(data) {
		if err != nil {
			return err
		}
		if next, ok := p.audioStream(); ok {
			if next.rate <= 0 {
				return fmt.Errorf("%d samples a second is not a rate", next.rate)
			}
			if found && v.end == 0 {
				continue // a second audio stream at the same time
			}
			if found {
				seconds += v.seconds()
			}
			v, info.Codec, found = next, next.codec, true
		}
		if found && p.stream == v.id && p.position != noPosition && p.position >= v.end {
			v.end, hasSound = p.position, hasSound || p.position > 0
		}
	}
	if !hasSound {
		return nil
	}
	return info.setDuration(seconds+v.seconds(), 1)
}

// audioStream returns the audio stream that begins on the page.
func (p *page) audioStream() (v audioStream, ok bool) {
	if !p.first {
		return v, false
	}
	b, le := p.body, binary.LittleEndian
	switch {
	case bytes.HasPrefix(b, []byte("OpusHead")) && len(b) >= 19:
		return audioStream{id: p.stream, codec: "opus", rate: 48000, skip: int64(le.Uint16(b[10:]))}, true
	case bytes.HasPrefix(b, []byte("\x01vorbis")) && len(b) >= 30:
		return audioStream{id: p.stream, codec: "vorbis", rate: int64(le.Uint32(b[12:]))}, true
	case bytes.HasPrefix(b, []byte("\x7fFLAC")) && len(b) >= 51:
		return audioStream{id: p.stream, codec: "flac", rate: int64(binary.BigEndian.Uint32(b[27:]) >> 12)}, true
	case bytes.HasPrefix(b, []byte("Speex   ")) && len(b) >= 80:
		return audioStream{id: p.stream, codec: "speex", rate: int64(int32(le.Uint32(b[36:])))}, true
	}
	return v, false
}
