package media

import (
	"encoding/binary"
	"fmt"
)

// afterTags skips the ID3v2 tags that may come before an MP3 or FLAC stream. It returns nothing when a tag is
// incomplete.
func afterTags(data []byte) []byte {
	const header, footer = 10, 0x10
	for prefix("ID3")(data) {
		if len(data) < header {
			return nil
		}
		size := header
		if data[5]&footer != 0 {
			size += header
		}
		for i, b := range data[6:header] {
			size += int(b&0x7f) << (7 * (3 - i))
		}
		data = data[min(size, len(data)):]
	}
	return data
}

func isFLAC(data []byte) bool { return prefix("fLaC")(afterTags(data)) }

func readFLAC(data []byte, info *Info) error {
	const mark, blockHeader, streamInfo = 4, 4, 34
	b := afterTags(data)[mark:]
	if len(b) < blockHeader+streamInfo {
		return tooShort("the header", mark+blockHeader+streamInfo, mark+len(b))
	}
	if b[0]&0x7f != 0 {
		return fmt.Errorf("block type %d comes first, expected the stream information", b[0]&0x7f)
	}
	bits := binary.BigEndian.Uint64(b[blockHeader+10:]) // rate, channels, depth, number of samples
	rate, samples := bits>>44, bits&(1<<36-1)
	if samples == 0 { // the encoder wrote to a pipe and did not know the number
		return nil
	}
	return info.setDuration(float64(samples), float64(rate))
}
