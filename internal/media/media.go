// Package media reads the format, the size in pixels and the duration of images, sounds and videos. It reads headers
// and containers. Check alone looks at pixels, of pictures up to a size, and nothing looks at samples. The input is
// untrusted: the time is linear in its length, and the memory is small, other than for the pixels of a JPEG.
package media

import (
	"errors"
	"fmt"
	"math"
)

// Info is the format, size and duration of a file.
type Info struct {
	// Format is png, gif, jpeg, webp, bmp, avif, heic, wav, mp3, flac, ogg, mp4, mov, webm or mkv.
	Format string
	// Codec is what an Ogg stream holds: opus, vorbis, flac or speex. It is "" when that is not known.
	Codec string
	// Width and Height are the size in pixels, for a video the display size. 0: none, or the file does not say.
	Width, Height int
	Seconds       float64
	Timed         bool // Seconds is known
}

// ErrUnknown is the error of bytes in an unknown format.
var ErrUnknown = errors.New("of no known format")

// errTruncated is the error of a file that ends too early.
var errTruncated = errors.New("cut off")

// kind describes one format: how to recognise it and how to read it.
type kind struct {
	format string // "" when read decides
	is     func(data []byte) bool
	read   func(data []byte, info *Info) error
}

// kinds are tried in order. MP3 is last because its mark is the weakest.
var kinds = []kind{
	{"png", prefix("\x89PNG\r\n\x1a\n"), readPNG},
	{"gif", isGIF, readGIF},
	{"jpeg", prefix("\xff\xd8\xff"), readJPEG},
	{"webp", isRIFF("WEBP"), readWebP},
	{"bmp", isBMP, readBMP},
	{"wav", isRIFF("WAVE"), readWAV},
	{"ogg", prefix("OggS"), readOgg},
	{"", prefix("\x1a\x45\xdf\xa3"), readMatroska},
	{"", isBoxes, readBoxes},
	{"flac", isFLAC, readFLAC},
	{"mp3", isMP3, readMP3},
}

// Inspect reads the bytes of a whole file. It returns ErrUnknown for an unknown format. Another error means that the
// file is cut off or breaks the rules of its format; Info may have its Format then.
func Inspect(data []byte) (Info, error) {
	for i := range kinds {
		k := &kinds[i]
		if !k.is(data) {
			continue
		}
		info := Info{Format: k.format}
		if err := k.read(data, &info); err != nil {
			return Info{Format: info.Format}, fmt.Errorf("%s: %w", info.Format, err)
		}
		return info, nil
	}
	return Info{}, ErrUnknown
}

func prefix(mark string) func([]byte) bool {
	return func(data []byte) bool { return len(data) >= len(mark) && string(data[:len(mark)]) == mark }
}

// setSize sets the size of a picture, which must not be empty.
func (i *Info) setSize(width, height int64) error {
	if width <= 0 || height <= 0 || width > math.MaxInt32 || height > math.MaxInt32 {
		return fmt.Errorf("%d×%d pixels is not a size", width, height)
	}
	i.Width, i.Height = int(width), int(height)
	return nil
}

// setDuration sets the duration from a number of ticks and the ticks per second.
func (i *Info) setDuration(ticks, perSecond float64) error {
	seconds := ticks / perSecond
	if perSecond <= 0 || math.IsNaN(seconds) || math.IsInf(seconds, 0) || seconds < 0 {
		return fmt.Errorf("%g ticks at %g a second is not a duration", ticks, perSecond)
	}
	i.Seconds, i.Timed = seconds, true
	return nil
}

// tooShort reports how many bytes the file should have and how many it has.
func tooShort(what string, promised uint64, there int) error {
	return fmt.Errorf("%w: %s should have %d bytes and has %d", errTruncated, what, promised, there)
}
