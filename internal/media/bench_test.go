package media

import (
	"bytes"
	"testing"
)

func BenchmarkInspect(b *testing.B) {
	for _, name := range []string{
		"rgb.png", "moving.gif", "photo.jpg", "bottom-up.bmp", "lossy.webp", "pcm.wav", "tagged.mp3", "tone.flac", "opus.ogg",
		"plain.mp4", "plain.webm",
	} {
		bench(b, name, file(b, name))
	}
	const minutes = 10
	bench(b, "ten minutes of mp3", mp3Frames(minutes*60*44100/1152))
	page := oggPage(0, 48000, 1, bytes.Repeat([]byte{7}, 8000))
	bench(b, "ten minutes of ogg", append(oggPage(2, 0, 1, opusHead(0)), bytes.Repeat(page, minutes*60)...))
}

func bench(b *testing.B, name string, data []byte) {
	b.Helper()
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if _, err := Inspect(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}
