package recording

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// writeBig writes an event log of about size bytes: many interleaved conversations, with ignored chunks of sound
// between their messages. It returns the number of conversations.
func writeBig(tb testing.TB, path string, size int64) int {
	tb.Helper()
	file, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	out := bufio.NewWriterSize(file, 1<<20)
	random := rand.New(rand.NewPCG(1, 2))
	chunk := strings.Repeat("QUJDREVGR0hJSktMTU5PUA", 3000)
	reply := strings.Repeat("Lamps are on the second floor. ", 20)
	start := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	seq, sessions := 0, 0
	event := func(session int, kind, data string) int64 {
		seq++
		n, err := fmt.Fprintf(out, `{"seq":%d,"event":{"type":%q,"timestamp":%q,"session_id":"session-%07d",`+
			`"conversation_id":"session-%07d","data_type":"x","data":%s}}`+"\n", seq, kind,
			start.Add(time.Duration(seq)*time.Millisecond).Format(time.RFC3339Nano), session, session, data)
		if err != nil {
			tb.Fatal(err)
		}
		return int64(n)
	}
	for written := int64(0); written < size; {
		group := sessions
		sessions += 20
		for turn := range 10 {
			for s := range 20 {
				if turn%2 == 0 && random.IntN(3) == 0 {
					written += event(group+s, "audio.input", `{"audio":"`+chunk[:1000+random.IntN(60_000)]+`"}`)
				}
				role, text := "user", "Where are the lamps? "+strconv.Itoa(turn)
				if turn%2 == 1 {
					role, text = "assistant", reply
				}
				written += event(group+s, messageCreated, fmt.Sprintf(
					`{"Role":%q,"Content":%q,"Index":%d,"Parts":null,"ToolCalls":null,"ToolResult":null}`, role, text, turn))
			}
		}
	}
	if err := out.Flush(); err != nil {
		tb.Fatal(err)
	}
	if err := file.Close(); err != nil {
		tb.Fatal(err)
	}
	return sessions
}

// TestBigEventLog opens a log and judges it session by session. ARENA_BIG_RECORDING sets the size of the log in MiB,
// and the memory that was used is then printed.
func TestBigEventLog(t *testing.T) {
	mib, setting := 8, os.Getenv("ARENA_BIG_RECORDING")
	if setting != "" {
		var err error
		if mib, err = strconv.Atoi(setting); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "big.jsonl")
	want := writeBig(t, path, int64(mib)<<20)
	started := time.Now()
	f, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	opened := time.Since(started)
	if got := len(f.Sessions()); got != want {
		t.Errorf("%d sessions, want %d", got, want)
	}
	runtime.GC()
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	kept := mem.HeapAlloc
	for i := range f.Sessions() {
		s, err := f.Load(i)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Messages) != 10 {
			t.Fatalf("session %s has %d messages, want 10", s.ID, len(s.Messages))
		}
	}
	runtime.ReadMemStats(&mem)
	if limit := uint64(128 << 20); mem.Sys > limit {
		t.Errorf("the process took %d MiB from the system, more than %d", mem.Sys>>20, limit>>20)
	}
	if setting != "" {
		t.Logf("%d MiB, %d sessions: opened in %v, loaded all in %v; index %d KiB, taken from the system at most %d MiB",
			mib, want, opened, time.Since(started)-opened, kept>>10, mem.Sys>>20)
	}
}

func BenchmarkOpenEventLog(b *testing.B) {
	path := filepath.Join(b.TempDir(), "big.jsonl")
	writeBig(b, path, 32<<20)
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Open(path, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
