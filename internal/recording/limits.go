package recording

import "fmt"

// Limits protect memory from malicious files. Zero means the default.
type Limits struct {
	Line         int64 // bytes of one line: 64 MiB
	Document     int64 // bytes of a file that has to be read at once: 256 MiB
	SessionBytes int64 // of the lines of one session: 256 MiB
	Messages     int   // of one session: 100,000
	Sessions     int   // of one file: 1,000,000
}

func (l Limits) withDefaults() Limits {
	set(&l.Line, 64<<20)
	set(&l.Document, 256<<20)
	set(&l.SessionBytes, 256<<20)
	set(&l.Messages, 100_000)
	set(&l.Sessions, 1_000_000)
	return l
}

func set[T int | int64](limit *T, standard T) {
	if *limit <= 0 {
		*limit = standard
	}
}

// size formats a number of bytes.
func size(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
