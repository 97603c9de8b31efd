package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plainfile"
)

// version of the entries, and of their keys. Entries of another version are not looked at.
const version = 1

// entry is the stored form of one reply.
type entry struct {
	Version  int         `json:"arena_cache"`
	Key      string      `json:"key"` // also the name of the file
	Provider string      `json:"provider"`
	Reply    storedReply `json:"reply"`
	Pieces   []int       `json:"pieces,omitempty"` // in which it streamed in, in characters
	// Closed says that guardrails had heard enough: it is no whole reply, and only for calls that these close.
	Closed bool `json:"closed,omitempty"`
	// Vectors are embeddings, in the place of a reply.
	Vectors [][]float64 `json:"vectors,omitempty"`
	Sum     string      `json:"sum,omitempty"` // of the entry without it
}

// storedReply is the stored part of a reply.
type storedReply struct {
	Content    string          `json:"content"`
	Parts      []chat.Part     `json:"parts,omitempty"`
	ToolCalls  []chat.ToolCall `json:"tool_calls,omitempty"`
	Finish     string          `json:"finish_reason"`
	Model      string          `json:"model,omitempty"`
	Usage      chat.Usage      `json:"usage"`
	CostUSD    *float64        `json:"cost_usd"` // null: not known
	LatencyMS  float64         `json:"latency_ms"`
	Opaque     *chat.Opaque    `json:"opaque,omitempty"`
	Doubt      string          `json:"doubt,omitempty"`
	Unreported []string        `json:"untold,omitempty"`
	Refused    bool            `json:"refused,omitempty"`
}

func storedFrom(r *chat.Reply) storedReply {
	return storedReply{r.Content, r.Parts, r.ToolCalls, r.FinishReason, r.Model, r.Usage, r.CostUSD, r.LatencyMS,
		r.Opaque, r.Doubt, r.Unreported, r.Refused}
}

func (k *storedReply) chat() chat.Reply {
	return chat.Reply{
		Content: k.Content, Parts: k.Parts, ToolCalls: k.ToolCalls, FinishReason: k.Finish, Model: k.Model, Usage: k.Usage,
		CostUSD: k.CostUSD, LatencyMS: k.LatencyMS, Opaque: k.Opaque, Doubt: k.Doubt,
		Unreported: k.Unreported, Refused: k.Refused,
	}
}

func (s *Store) file(key string) string { return filepath.Join(s.Dir, key[:2], key+".json") }

// replyTo is the entry of a question to a model; nil: it is to be asked.
func (s *Store) replyTo(key string) *entry {
	if s.Anew {
		s.mu.Lock()
		known := s.saved[key]
		s.mu.Unlock()
		if !known {
			return nil
		}
	}
	return s.load(key)
}

// load returns the entry of a key; nil if there is no usable one.
func (s *Store) load(key string) *entry {
	data, err := plainfile.Read(s.file(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		var e *entry
		if e, err = read(key, data); err == nil {
			return e
		}
	}
	s.note("the cache entry %s cannot be used (%v); the model is asked again", s.file(key), plainfile.WithoutPath(err))
	return nil
}

var errSecret = errors.New("it repeats a secret")

var errDamaged = errors.New("it is damaged")

// read takes an entry that is exactly what was written.
func read(key string, data []byte) (*entry, error) {
	e := &entry{}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(e); err != nil {
		return nil, errDamaged
	}
	sum, err := e.sum()
	if err != nil || e.Version != version || e.Key != key || e.Sum != sum {
		return nil, errDamaged
	}
	return e, nil
}

func (e *entry) sum() (string, error) {
	plain := *e
	plain.Sum = ""
	data, err := json.Marshal(&plain)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8]), err
}

// drop removes an entry.
func (s *Store) drop(key string) {
	if err := os.Remove(s.file(key)); err != nil {
		s.note("the cache entry %s could not be removed: %v", s.file(key), plainfile.WithoutPath(err))
	}
}

// save keeps an entry. A cache that cannot be written costs money, and not the reply: see Unkept.
func (s *Store) save(e *entry) {
	err := s.write(e)
	if errors.Is(err, errSecret) {
		s.note("the reply could not be kept in the cache %s: %v", s.Dir, err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		if s.unkept++; s.why == nil {
			s.why = plainfile.WithoutPath(err)
		}
	case s.Anew:
		if s.saved == nil {
			s.saved = map[string]bool{}
		}
		s.saved[e.Key] = true
	}
}

func (s *Store) write(e *entry) (err error) {
	if e.Sum, err = e.sum(); err != nil {
		return err
	}
	data, err := json.MarshalIndent(e, "", " ")
	if err != nil {
		return err
	}
	if s.Secret != nil && s.Secret(data) {
		return errSecret
	}
	path := s.file(e.Key)
	if err := plainfile.MakeDir(filepath.Dir(path)); err != nil {
		return err
	}
	if err := plainfile.ReplaceSynced(path, 0o600, data); err != nil {
		return err
	}
	s.kept.Note(path)
	return nil
}

func (s *Store) note(format string, args ...any) {
	if s.Note != nil {
		s.Note(fmt.Sprintf(format, args...))
	}
}
