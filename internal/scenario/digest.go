package scenario

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/digest"
	"github.com/arena-evals/arena/internal/media"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/skill"
)

// Digest returns the digest of the parts of values that affect a trial: not their position, order or file. It includes
// the content of files that they name. Fields without effect are tagged `digest:"-"`.
func Digest(values ...any) digest.Sum { return digestRules().Of(values...) }

var digestRules = sync.OnceValue(func() *digest.Rules {
	return &digest.Rules{
		Skip: skipped(),
		Special: map[reflect.Type]digest.Writer{
			reflect.TypeFor[node.Node]():       writeNode,
			reflect.TypeFor[json.RawMessage](): writeJSON,
			reflect.TypeFor[chat.Media]():      writeMedia,
			reflect.TypeFor[skill.Set]():       writeSkills,
		},
	}
})

// skillRules sums single skills, which hold texts only.
var skillRules = sync.OnceValue(func() *digest.Rules { return &digest.Rules{Skip: skipped()} })

func skipped() []reflect.Type { return []reflect.Type{reflect.TypeFor[diag.Pos]()} }

func writeNode(b []byte, v reflect.Value) []byte {
	return node.AppendCanonical(b, v.Addr().Interface().(*node.Node))
}

// writeJSON writes a JSON value with sorted keys and all digits of numbers.
func writeJSON(b []byte, v reflect.Value) []byte {
	text := v.Bytes()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) == nil {
		if sorted, err := json.Marshal(value); err == nil {
			text = sorted
		}
	}
	return digest.Text(b, text)
}

// writeMedia writes media, with the content of the file instead of its path.
func writeMedia(b []byte, v reflect.Value) []byte {
	for i := range v.NumField() {
		f := v.Field(i)
		switch name := v.Type().Field(i).Name; {
		case name == "Local", name == "Content", name == "SHA256", name == "Size":
		case name == "Source": // the name of a document is sent with it
			if of := v.FieldByName("MIMEType").String(); f.String() != "" && media.KindOf(of) == "document" {
				b = digest.Text(b, filepath.Base(f.String()))
			}
		case name == "Path" && v.FieldByName("Local").Bool():
			sum := FileDigest(f.String())
			if sum == nil {
				sum = []byte("no content: " + f.String())
			}
			b = digest.Text(b, sum)
		case f.Kind() == reflect.String:
			b = digest.Text(b, f.String())
		case f.CanInt():
			b = binary.AppendVarint(b, f.Int())
		default:
			b = binary.BigEndian.AppendUint64(b, math.Float64bits(f.Float()))
		}
	}
	return b
}

// writeSkills writes a digest of each skill, because together they may be many megabytes. A SKILL.md is not hashed
// twice.
func writeSkills(b []byte, v reflect.Value) []byte {
	all := v.Addr().Interface().(*skill.Set).All()
	b = binary.AppendUvarint(b, uint64(len(all)))
	for _, s := range all {
		one := *s
		if one.Text != "" {
			one.Instructions = ""
		}
		sum := skillRules().Of(one)
		b = append(b, sum[:]...)
	}
	return b
}

// FileDigest is the digest of a file's content. It is empty if the file cannot be read.
func FileDigest(path string) []byte {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() { // reading a pipe would block
		return nil
	}
	f, err := plainfile.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // read only
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return nil
	}
	return sum.Sum(nil)
}
