package cache

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/arena-evals/arena/internal/plainfile"
)

// Stats describes the content of a store.
type Stats struct {
	Entries int
	Damaged int
	Bytes   int64
	Tokens  int
	USD     float64 // known cost of the entries
	Unknown int     // entries with unknown cost
	Models  map[string]int
}

// Stats reads every entry. A missing folder is empty.
func (s *Store) Stats() (Stats, error) {
	st := Stats{Models: map[string]int{}}
	err := s.each(func(path, key string) error {
		data, err := plainfile.Read(path)
		if err != nil || key == "" {
			return err
		}
		st.Bytes += int64(len(data))
		e, err := read(key, data)
		if err != nil {
			st.Damaged++
			return nil //nolint:nilerr // it is counted
		}
		st.Entries++
		st.Tokens += e.Reply.Usage.Total()
		if e.Reply.CostUSD != nil {
			st.USD += *e.Reply.CostUSD
		} else {
			st.Unknown++
		}
		st.Models[e.Provider]++
		return nil
	})
	return st, err
}

// Clear removes the entries and returns their number. Other files in the folder stay.
func (s *Store) Clear() (removed int, err error) {
	folders := map[string]bool{}
	err = s.each(func(path, key string) error {
		if key != "" {
			removed++
		}
		folders[filepath.Dir(path)] = true
		return os.Remove(path)
	})
	for dir := range folders {
		_ = os.Remove(dir) // one that is not empty stays
	}
	return removed, err
}

// each visits the files of the store: its entries, and with "" for a key what was left half written.
func (s *Store) each(visit func(path, key string) error) error {
	err := filepath.WalkDir(s.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		key, entry := strings.CutSuffix(d.Name(), ".json")
		sum, bad := hex.DecodeString(key)
		half, _ := filepath.Match(plainfile.TempPattern, d.Name()) // the pattern is a good one
		switch folder := filepath.Base(filepath.Dir(path)); {
		case half:
			return visit(path, "")
		case entry && bad == nil && len(sum) == 32 && folder == key[:2]:
			return visit(path, key)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
