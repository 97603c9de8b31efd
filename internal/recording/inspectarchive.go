package recording

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
)

// A log of inspect_ai with the extension .eval is a zip archive: header.json is the log without its samples, and the
// folder samples has a file for each. It is read like the same log as JSON, with one line for the header and one for
// each sample. Positions in messages count these lines.
// See https://inspect.aisi.org.uk/eval-logs.html.

const (
	zipStart      = "PK\x03\x04"
	maxUnpacked   = 256 << 20 // bytes of a log, which is in memory while it is read
	inspectHeader = "header.json"
	inspectFolder = "samples"
)

// unpack replaces an archive that holds a log by the log. It returns false if the file cannot be read.
func (f *File) unpack(s *scan) bool {
	start := make([]byte, len(zipStart))
	if _, err := s.in.ReadAt(start, 0); err != nil || string(start) != zipStart {
		return true
	}
	log, err := unpackInspect(s.in, s.size, maxUnpacked)
	if err != nil {
		s.errorf(diag.Pos{File: f.name}, "unread-recording", "%v", err)
		return false
	}
	if log != nil { // else the file is refused as an archive of another kind
		f.open = func() (source, error) { return log, nil }
		s.in, s.size = log, log.Size()
	}
	return true
}

// unpackInspect returns the log in an archive as JSON, of at most limit bytes; nil: the archive is not of inspect_ai.
func unpackInspect(packed io.ReaderAt, size int64, limit int) (*unpacked, error) {
	archive, err := zip.NewReader(packed, size)
	if err != nil {
		return nil, fmt.Errorf("the zip archive is damaged or cut (%w): copy it again", err)
	}
	header, samples, problem := inspectFiles(archive)
	if header == nil || problem != nil {
		return nil, problem
	}
	log, err := readMember(header, limit)
	if err != nil {
		return nil, err
	}
	log, whole := bytes.CutSuffix(bytes.TrimSpace(log), []byte("}"))
	if !whole {
		return nil, fmt.Errorf("%s in the archive is no JSON object", inspectHeader)
	}
	out := bytes.NewBuffer(append(log, ",\"samples\":["...))
	for i, f := range samples {
		sample, err := readMember(f, limit-out.Len())
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
		out.Write(sample)
	}
	out.WriteString("\n]}\n")
	return &unpacked{bytes.NewReader(out.Bytes())}, nil
}

// inspectFiles finds the parts of a log, samples in the order of the archive.
func inspectFiles(archive *zip.Reader) (header *zip.File, samples []*zip.File, problem error) {
	names, begun := map[string]bool{}, false
	for _, f := range archive.File {
		if names[f.Name] {
			return nil, nil, fmt.Errorf("%s is twice in the archive", shortName(f.Name))
		}
		names[f.Name] = true
		switch dir, name := path.Split(f.Name); {
		case f.Name == inspectHeader:
			header = f
		case dir == inspectFolder+"/" && strings.HasSuffix(name, ".json"):
			samples = append(samples, f)
		case dir == "_journal/":
			begun = true
		}
	}
	if header == nil && begun {
		return nil, nil, errors.New("the evaluation that wrote this log has not ended, or was killed: " +
			"the archive has no " + inspectHeader)
	}
	return header, samples, nil
}

// readMember reads one file of an archive, of at most limit bytes, into one line of JSON.
func readMember(f *zip.File, limit int) ([]byte, error) {
	in, err := f.Open()
	if errors.Is(err, zip.ErrAlgorithm) {
		return nil, fmt.Errorf("%s is packed in a way that arena cannot unpack (method %d): "+
			"inspect log convert --to json writes the log as JSON", shortName(f.Name), f.Method)
	}
	if err != nil {
		return nil, fmt.Errorf("%s in the archive: %w", shortName(f.Name), err)
	}
	defer func() { _ = in.Close() }()                                   // it was only read
	data, err := io.ReadAll(io.LimitReader(in, int64(max(limit, 0))+1)) // the archive's own size is not trusted
	if err != nil {
		return nil, fmt.Errorf("%s in the archive: %w", shortName(f.Name), err)
	}
	if len(data) > limit {
		return nil, fmt.Errorf("the log is larger than %d MB when it is unpacked: "+
			"inspect log convert --to json writes it as JSON, which need not fit into memory", maxUnpacked>>20)
	}
	var line bytes.Buffer
	if err := json.Compact(&line, data); err != nil {
		return nil, fmt.Errorf("%s in the archive: %w", shortName(f.Name), err)
	}
	return line.Bytes(), nil
}

// shortName is the name of a file in an archive, for messages.
func shortName(name string) string { return cutText(name, 80) }

// unpacked is a source in memory.
type unpacked struct{ *bytes.Reader }

// Close implements io.Closer.
func (unpacked) Close() error { return nil }
