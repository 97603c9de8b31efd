package selection

import (
	"cmp"
	"container/heap"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// RowFilter selects rows of datasets: by number, such as 7 or 1-20, and by id.
type RowFilter struct {
	words []rowWord
	names []string // of datasets that it was compared with
	near  []string // ids that are near to those that nothing has
}

// rowWord is a word of a filter.
type rowWord struct {
	text, id  string
	low, high int // numbers of rows; 0: it is only an id
	used      bool
	both      string // what else it means: the number of one row, and the id of another
	outside   string // a row with an id among the numbers of a range, and a number beyond them
}

// onlyID begins a word that is an id, and not a number.
const onlyID = "id="

// RowWord is a word that selects the row with an id, and no other.
func RowWord(id string) string {
	if strings.Trim(id, "0123456789-") == "" || strings.HasPrefix(id, onlyID) {
		return onlyID + id
	}
	return id
}

// NewRowFilter reads the words of a filter. Those that cannot be read go to d.
func NewRowFilter(lists []string, d *diag.List) *RowFilter {
	f := &RowFilter{}
	for _, text := range Split(lists) {
		w := rowWord{text: text, id: text}
		if id, only := strings.CutPrefix(text, onlyID); only {
			w.id = id
			f.words = append(f.words, w)
			continue
		}
		from, to, isRange := strings.Cut(text, "-")
		low, err := strconv.Atoi(from)
		high, wrong := low, error(nil)
		if isRange {
			high, wrong = strconv.Atoi(to)
		}
		if err == nil && wrong == nil && low > 0 {
			if w.low, w.high = low, high; high < low {
				d.Errorf(diag.Pos{}, 0, "bad-rows", "--rows %s: the range ends before it begins", text).Hint =
					fmt.Sprintf("write %d-%d", high, low)
				w.used = true
			}
		}
		f.words = append(f.words, w)
	}
	return f
}

// Empty reports whether the filter selects every row.
func (f *RowFilter) Empty() bool { return len(f.words) == 0 }

// Choose lists the rows of a dataset, by index.
func (f *RowFilter) Choose(set *scenario.Dataset) []int32 {
	if len(f.words) == 0 {
		return AllRows(set)
	}
	if !slices.Contains(f.names, set.Name) {
		f.names = append(f.names, set.Name)
	}
	wanted := map[string]*rowWord{}
	for i := range f.words {
		wanted[f.words[i].id] = &f.words[i]
	}
	var out []int32
	for i := range set.Len() {
		keep := false
		id := set.ID(i)
		number, err := strconv.Atoi(id)
		for k := range f.words {
			w := &f.words[k]
			switch {
			case i+1 >= w.low && i+1 <= w.high:
				keep, w.used = true, true
			case err == nil && w.low < w.high && number >= w.low && number <= w.high && w.outside == "":
				w.outside = fmt.Sprintf("row %d of %s has the id %s, and would not be run", i+1, set.Name, id)
			}
		}
		if w := wanted[id]; w != nil {
			keep, w.used = true, true
			if w.low > 0 && (i+1 < w.low || i+1 > w.high) {
				w.both = fmt.Sprintf("row %s of %s has another id, and row %d has this one", w.text, set.Name, i+1)
			}
		}
		if keep {
			out = append(out, int32(i))
		}
	}
	for i := range f.words {
		if w := &f.words[i]; !w.used && len(f.near) < maxNear {
			f.near = append(f.near, nearest(w.id, set)...)
		}
	}
	return out
}

// maxNear is up to how many ids a hint names.
const maxNear = 20

// nearest are ids of a dataset, the nearest to a word first.
func nearest(word string, set *scenario.Dataset) (ids []string) {
	const looked = 10_000
	for i := range min(set.Len(), looked) {
		ids = append(ids, set.ID(i))
	}
	if near := diag.Nearest(word, ids); near != "" {
		return []string{near}
	}
	return nil
}

// AllRows lists the rows of a dataset, by index.
func AllRows(set *scenario.Dataset) []int32 {
	out := make([]int32, set.Len())
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// Missing reports words that select no row, and words that mean two rows.
func (f *RowFilter) Missing(d *diag.List) {
	for i := range f.words {
		w := &f.words[i]
		switch {
		case w.both != "":
			d.Errorf(diag.Pos{}, 0, "ambiguous-row", "--rows %s: %s", w.text, w.both).Hint =
				fmt.Sprintf("for the id write %s%s; for the number name the row by its id", onlyID, w.text)
		case w.outside != "":
			d.Errorf(diag.Pos{}, 0, "ambiguous-row", "--rows %s goes by the numbers of rows, and the ids are numbers too: %s",
				w.text, w.outside).Hint = "name the rows by their ids: --rows " + onlyID + strconv.Itoa(w.low) + "," + onlyID +
				strconv.Itoa(w.low+1)
		case w.used:
		case len(f.names) == 0:
			d.Errorf(diag.Pos{}, 0, "unknown-filter", "--rows %s: no scenario of this run has a dataset", w.text)
		default:
			p := d.Errorf(diag.Pos{}, 0, "unknown-filter", "--rows %s: there is no such row in %s", w.text,
				strings.Join(f.names, ", "))
			p.Hint = "rows are named by their id, or by their number: 7, 1-20"
			if near := diag.Nearest(w.id, f.near); near != "" {
				p.Hint = fmt.Sprintf("did you mean %q? ", near) + p.Hint
			}
		}
	}
}

// SampleRows takes rows by a sum of their ids and a seed: the same ones on every machine, and where others are added to
// the dataset, mostly the same ones.
func SampleRows(set *scenario.Dataset, from []int32, n int, seed int64) []int32 {
	h := make(lots, 0, n)
	var b []byte
	for _, i := range from {
		b = append(binary.BigEndian.AppendUint64(b[:0], uint64(seed)), set.ID(int(i))...)
		sum := sha256.Sum256(b)
		one := draw{binary.BigEndian.Uint64(sum[:]), i}
		switch {
		case len(h) < n:
			heap.Push(&h, one)
		case one.lot < h[0].lot:
			h[0] = one
			heap.Fix(&h, 0)
		}
	}
	out := make([]int32, len(h))
	for i := range h {
		out[i] = h[i].row
	}
	slices.Sort(out)
	return out
}

// draw is a row with its lot: the lowest win.
type draw struct {
	lot uint64
	row int32
}

// lots is a heap of the lowest, the highest of them first.
type lots []draw

func (h lots) Len() int { return len(h) }

func (h lots) Less(i, j int) bool { return cmp.Compare(h[i].lot, h[j].lot) > 0 }

func (h lots) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *lots) Push(x any) { *h = append(*h, x.(draw)) }

func (h *lots) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
