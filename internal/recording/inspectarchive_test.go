package recording

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// packedFile is a file of an archive.
type packedFile struct{ name, text string }

// inspectMembers returns the files of an archive as inspect_ai writes it, made from the same log as JSON.
func inspectMembers(t *testing.T) []packedFile {
	t.Helper()
	data, err := os.ReadFile("testdata/good/inspect.json")
	if err != nil {
		t.Fatal(err)
	}
	var log map[string]json.RawMessage
	var samples []json.RawMessage
	if err := json.Unmarshal(data, &log); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(log["samples"], &samples); err != nil {
		t.Fatal(err)
	}
	delete(log, "samples")
	header, err := json.MarshalIndent(log, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	list := []packedFile{{"_journal/start.json", "{}"}}
	for i, s := range samples {
		list = append(list, packedFile{fmt.Sprintf("samples/%d_epoch_1.json", i+1), string(s)})
	}
	return append(list, packedFile{"summaries.json", "[]"}, packedFile{inspectHeader, string(header)})
}

func pack(t *testing.T, list []packedFile) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, m := range list {
		f, err := w.Create(m.name)
		if err == nil {
			_, err = f.Write([]byte(m.text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// openPacked opens a log of the given bytes.
func openPacked(t *testing.T, data []byte) (*File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lamps.eval")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return Open(path, Options{})
}

// TestInspectArchive: a log in an archive holds the same conversations as the log as JSON.
func TestInspectArchive(t *testing.T) {
	t.Parallel()
	packed, err := openPacked(t, pack(t, inspectMembers(t)))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := Open("testdata/good/inspect.json", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(packed.Sessions()), len(plain.Sessions()); got != want || want == 0 {
		t.Fatalf("%d conversations, as JSON there are %d", got, want)
	}
	for i := range plain.Sessions() {
		if diff := cmp.Diff(transcriptOf(t, plain, i), transcriptOf(t, packed, i)); diff != "" {
			t.Errorf("conversation %d (-as JSON +packed):\n%s", i+1, diff)
		}
	}
}

// transcriptOf is a conversation without its positions in the file.
func transcriptOf(t *testing.T, f *File, i int) string {
	t.Helper()
	s, err := f.Load(i)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, m := range s.Messages {
		fmt.Fprintf(&b, "%s %q %v %v\n", m.Role, m.Content, m.ToolCalls, m.ToolResult)
	}
	return b.String()
}

// TestInspectArchiveHostile: a log that is cut, damaged or incomplete is refused, with a hint.
func TestInspectArchiveHostile(t *testing.T) {
	t.Parallel()
	good := inspectMembers(t)
	without := func(name string) (list []packedFile) {
		for _, m := range good {
			if m.name != name {
				list = append(list, m)
			}
		}
		return list
	}
	whole := pack(t, good)
	first := bytes.Index(whole, []byte("samples/1_epoch_1.json")) + len("samples/1_epoch_1.json")
	damaged := bytes.Clone(whole)
	damaged[first+20] ^= 0xff
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"cut":          {whole[:len(whole)-40], "the zip archive is damaged or cut"},
		"damaged":      {damaged, "samples/1_epoch_1.json in the archive: "},
		"unfinished":   {pack(t, without(inspectHeader)), "the evaluation that wrote this log has not ended, or was killed"},
		"a lost trial": {pack(t, without("samples/2_epoch_1.json")), "the log counts 2 samples, found 1"},
		"a trial twice": {pack(t, append(slices.Clip(good), packedFile{"samples/1_epoch_1.json", "{}"})),
			"samples/1_epoch_1.json is twice in the archive"},
		"no JSON":         {pack(t, append(without(inspectHeader), packedFile{inspectHeader, "version: 2"})), "header.json in the archive: invalid"},
		"a list":          {pack(t, append(without(inspectHeader), packedFile{inspectHeader, "[]"})), "header.json in the archive is no JSON object"},
		"something else":  {pack(t, []packedFile{{"word/document.xml", "<w/>"}}), "this file is a zip archive, which arena does not read"},
		"of another kind": {anotherMethod(whole), "is packed in a way that arena cannot unpack (method 93)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := openPacked(t, c.data)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	if _, err := unpackInspect(bytes.NewReader(whole), int64(len(whole)), 500); err == nil ||
		!strings.Contains(err.Error(), "is larger than") {
		t.Errorf("a log above the limit: %v", err)
	}
}

// anotherMethod changes the compression method of the members, in their headers and in the directory at the end.
func anotherMethod(data []byte) []byte {
	data = bytes.Clone(data)
	for _, mark := range []struct {
		start  string
		offset int
	}{{"PK\x03\x04", 8}, {"PK\x01\x02", 10}} {
		for at, rest := 0, data; ; {
			i := bytes.Index(rest, []byte(mark.start))
			if i < 0 {
				break
			}
			at += i
			data[at+mark.offset] = 93
			at += len(mark.start)
			rest = data[at:]
		}
	}
	return data
}
