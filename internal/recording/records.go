package recording

// records visits the records of a file: its lines, the elements of its list, or its one document. A document or a line
// may hold a list of records, which inside returns; nil: none.
func (s *scan) records(inside func(doc value) value, visit func(v value, p span)) {
	each := func(doc value, p span) {
		list := doc
		if doc.kind() == '{' && inside != nil {
			list = inside(doc)
		}
		if list.kind() != '[' {
			visit(doc, p)
			return
		}
		loc := &locator{text: doc.text, line: p.line, col: p.col}
		for item := range list.items {
			line, col := loc.place(item.at - doc.at)
			at := p.at + int64(item.at-doc.at)
			visit(item, span{at: at, size: int64(len(item.text)), line: line, col: col})
		}
	}
	if first, _, _ := s.firstLine(); first.kind() == '{' {
		s.completeLines(func(l line) bool {
			each(l.value, l.span)
			return true
		})
		return
	}
	if doc, p, ok := s.document(); ok {
		each(doc, p)
	}
}

// otherRecord reports a record of another kind than those of its file.
func (s *scan) otherRecord(p span, expected string) {
	s.errorf(s.pos(p), "wrong-line", "this is no record of the file's format, which must have %s", expected).
		Hint = "is it from another file?"
}
