package dataset

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/sortby"
)

const (
	blockRows  = 64
	blockBytes = 128 << 10
	// maxRow is the length of the longest row, in bytes.
	maxRow = 16 << 20
	// maxFields is how many names of fields a file may have.
	maxFields = 10_000
	// maxProblems is how many problems of a file are reported at most.
	maxProblems = 20
)

// index has the positions of the rows of a file. It is little larger than their ids.
type index struct {
	rows   int
	fields []string
	header []string    // of CSV
	info   fs.FileInfo // nil: it is in memory
	size   int64
	starts []place // of blocks
	end    int64   // of the last row
	ids    []byte  // of all rows, without a sign between them; nil: all go by their number
	lens   []byte  // of the ids; 0: the row goes by its number
	idAt   []int   // where the ids of a block begin
}

// makeIndex reads the file once.
func (f *File) makeIndex() {
	src, e := f.source()
	if e != nil {
		f.problem(e)
		return
	}
	defer func() { _ = src.Close() }() // read only
	in, e := f.reader(src, nil)
	if e != nil {
		f.problem(e)
		return
	}
	x := &f.index
	x.header, x.info, x.size = in.header(), src.Info, src.Size
	if whole, ok := in.(*items); ok {
		f.held = whole.rows
	}
	seen := names{}
	var faults faults
	for {
		p, err := in.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			f.problem(asFatal(err))
			return
		}
		faults.note(p.fault)
		if x.header == nil {
			seen.add(p.values)
		}
		if len(seen) > maxFields {
			f.problem(&fatal{p.line, 0, "too-many-fields", fmt.Sprintf("the rows have more than %d different fields", maxFields),
				"write what differs as one field with a map"})
			return
		}
		id, wrong := idOf(p.values)
		if wrong != "" {
			f.problem(&fatal{p.line, 0, "bad-id", wrong, "ids name rows in reports and on the command line"})
		}
		x.add(&p, id)
		if len(f.problems) >= maxProblems {
			return
		}
	}
	x.fields = seen.sorted()
	if x.header != nil {
		x.fields = slices.Sorted(slices.Values(x.header))
	}
	f.checkIndex(&faults, src)
}

// checkIndex reports problems of the rows of a file that was read to its end.
func (f *File) checkIndex(faults *faults, src *Source) {
	if f.index.rows == 0 {
		f.problem(f.noRows())
		return
	}
	for _, e := range faults.ofAll() {
		f.problem(e)
	}
	if len(f.problems) == 0 {
		f.duplicates(src)
	}
}

// faults are the reasons why rows cannot be used, while none can.
type faults struct {
	first  []*Fault
	usable bool // a row is
}

func (l *faults) note(e *Fault) {
	l.usable = l.usable || e == nil
	if e != nil && len(l.first) < maxProblems {
		l.first = append(l.first, e)
	}
}

// ofAll returns the faults if no row of the file can be used, so that its fields are unknown.
func (l *faults) ofAll() (all []*fatal) {
	if l.usable {
		return nil
	}
	for _, e := range l.first {
		all = append(all, &fatal{int(e.Pos.Line), int(e.Pos.Col), "bad-row", e.Msg, e.Hint})
	}
	return all
}

func (f *File) problem(e *fatal) { f.problems = append(f.problems, f.diagnostic(e)) }

func (f *File) noRows() *fatal {
	e := &fatal{1, 0, "no-rows", "the file has no rows",
		"a scenario is run once for each row: write one, or take dataset out"}
	if f.index.header != nil {
		e.msg = "the file has a header and no rows"
	}
	return e
}

// add notes the next row.
func (x *index) add(p *piece, id string) {
	if n := len(x.starts); n == 0 || x.rows-x.starts[n-1].row >= blockRows || p.end-x.starts[n-1].offset > blockBytes {
		x.starts = append(x.starts, place{offset: p.start, line: p.line, row: x.rows})
		x.idAt = append(x.idAt, len(x.ids))
	}
	x.ids = append(x.ids, id...)
	x.lens = append(x.lens, byte(len(id)))
	x.end = p.end
	x.rows++
}

// blockOf is the number of the block with a row.
func (x *index) blockOf(i int) int {
	at, found := slices.BinarySearchFunc(x.starts, i, func(p place, i int) int { return p.row - i })
	if found {
		return at
	}
	return at - 1
}

func (x *index) id(i int) string {
	if x.lens[i] == 0 {
		return numbered(i + 1)
	}
	k := x.blockOf(i)
	from := x.idAt[k]
	for _, n := range x.lens[x.starts[k].row:i] {
		from += int(n)
	}
	return string(x.ids[from : from+int(x.lens[i])])
}

// duplicates reports rows of one id.
func (f *File) duplicates(src *Source) {
	x := &f.index
	if len(x.ids) == 0 {
		return
	}
	type hashed struct {
		sum uint64
		row int
	}
	seed, all := maphash.MakeSeed(), make([]hashed, x.rows)
	for i := range all {
		all[i] = hashed{maphash.String(seed, x.id(i)), i}
	}
	slices.SortFunc(all, func(a, b hashed) int {
		if a.sum != b.sum {
			if a.sum < b.sum {
				return -1
			}
			return 1
		}
		return a.row - b.row
	})
	var duplicate [][2]int
	for i := 1; i < len(all); i++ {
		if all[i].sum == all[i-1].sum && x.id(all[i].row) == x.id(all[i-1].row) {
			duplicate = append(duplicate, [2]int{all[i-1].row, all[i].row})
		}
	}
	sortby.Func(duplicate, func(a, b [2]int) int { return a[1] - b[1] })
	for _, pair := range duplicate[:min(len(duplicate), maxProblems)] {
		f.problem(&fatal{f.lineOf(src, pair[1]), 0, "duplicate-id",
			fmt.Sprintf("the id %q is that of the row on line %d already", x.id(pair[1]), f.lineOf(src, pair[0])),
			"give each row an id of its own, or take the field out: rows go by their number then"})
	}
}

// lineOf is the line of a row; 0 where it cannot be read any more.
func (f *File) lineOf(src *Source, i int) int {
	b, err := f.readBlock(src, f.index.blockOf(i))
	if err != nil {
		return 0
	}
	return int(b.rows[i-b.first].Pos.Line)
}

// block is consecutive rows.
type block struct {
	number, first int
	rows          []*Row
}

// keptBlocks is how many blocks are kept. Rows are asked for one after the other, by few at a time.
const keptBlocks = 8

// Row returns a row by its index from 0. The error says that the file has changed, or cannot be read any more.
func (f *File) Row(i int) (*Row, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	number := f.index.blockOf(i)
	at := slices.IndexFunc(f.blocks, func(b *block) bool { return b.number == number })
	if at < 0 {
		b, err := f.openBlock(number)
		if err != nil {
			return nil, err
		}
		if len(f.blocks) == keptBlocks {
			f.blocks = slices.Delete(f.blocks, 0, 1)
		}
		f.blocks = append(f.blocks, b)
		at = len(f.blocks) - 1
	}
	b := f.blocks[at]
	return b.rows[i-b.first], nil
}

func (f *File) openBlock(number int) (*block, error) {
	src, e := f.source()
	if e != nil {
		return nil, fmt.Errorf("%s: %s", f.Name, e.msg)
	}
	defer func() { _ = src.Close() }() // read only
	return f.readBlock(src, number)
}

func (f *File) readBlock(src *Source, number int) (*block, error) {
	x := &f.index
	changed := fmt.Errorf("%s: the file was changed while the run was going on", f.Name)
	if !src.isStill(x.size, x.info) {
		return nil, changed
	}
	from, last := x.starts[number], x.rows
	if number+1 < len(x.starts) {
		last = x.starts[number+1].row
	}
	in, e := f.readerOf(src, &from)
	if e != nil {
		return nil, changed
	}
	b := &block{number: number, first: from.row, rows: make([]*Row, 0, last-from.row)}
	for i := from.row; i < last; i++ {
		p, err := in.next()
		if err != nil {
			return nil, changed
		}
		row := &Row{
			ID: x.id(i), Number: i + 1, Pos: diag.Pos{File: f.Name, Line: int32(p.line)}, Fault: p.fault,
			Values: withoutNulls(p.values),
		}
		if p.fault != nil {
			fault := *p.fault
			fault.Pos.File = f.Name
			row.Fault, row.Values = &fault, nil
		}
		b.rows = append(b.rows, row)
	}
	return b, nil
}

// readerOf reads on from a block.
func (f *File) readerOf(src *Source, from *place) (reader, *fatal) {
	if f.held != nil {
		return &items{f.held[from.row:]}, nil
	}
	return f.reader(src, from)
}
