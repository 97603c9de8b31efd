package media

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// damageBMP holds the pixels of a BMP that are not packed against its size.
func damageBMP(data []byte, info *Info) error {
	const full, plain, masked = 54, 0, 3 // bytes of the usual header, and kinds of compression
	if len(data) < full || binary.LittleEndian.Uint32(data[14:]) < 40 {
		return nil
	}
	if kind := binary.LittleEndian.Uint32(data[30:]); kind != plain && kind != masked {
		return nil
	}
	start, bits := int64(binary.LittleEndian.Uint32(data[10:])), int64(binary.LittleEndian.Uint16(data[28:]))
	want := (int64(info.Width)*bits + 31) / 32 * 4 * int64(info.Height)
	if got := int64(len(data)) - start; got < want {
		return fmt.Errorf("it has %d bytes of pixels, and needs %d", max(got, 0), want)
	}
	return nil
}

// damageWebP looks for the picture of a WebP, and holds the first part of a lossy one against its length. It unpacks
// nothing.
func damageWebP(data []byte) error {
	for c := range chunks(data) {
		switch string(c.id) {
		case "ANMF", "VP8L":
			return nil
		case "VP8 ":
			const header = 10
			if len(c.body) < header {
				return errNoPixels
			}
			if first := int(uint24(c.body) >> 5); first == 0 || first+header > len(c.body) {
				return errors.New("its first part is longer than the picture")
			}
			return nil
		}
	}
	return errNoPixels
}
