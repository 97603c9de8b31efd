package result

// spanTable holds the spans of trials by their index. It has no pointer for each trial, since there may be a million.
type spanTable struct {
	pages     map[int]*spanPage
	recounted map[int]*Recounted // by index; what few spans have
}

const pageSpans = 64 // indexes of groups whose trials end early have gaps

type spanPage [pageSpans]struct {
	at     int64
	len    int32
	before bool
	known  bool
}

func (t *spanTable) set(index int, s span) {
	if t.pages == nil {
		t.pages = map[int]*spanPage{}
	}
	page := t.pages[index/pageSpans]
	if page == nil {
		page = &spanPage{}
		t.pages[index/pageSpans] = page
	}
	p := &page[index%pageSpans]
	p.at, p.len, p.before, p.known = s.at, s.len, s.before, true
	if s.as == nil {
		delete(t.recounted, index)
		return
	}
	if t.recounted == nil {
		t.recounted = map[int]*Recounted{}
	}
	t.recounted[index] = s.as
}

func (t *spanTable) get(index int) (s span, ok bool) {
	page := t.pages[index/pageSpans]
	if page == nil || !page[index%pageSpans].known {
		return span{}, false
	}
	p := &page[index%pageSpans]
	return span{at: p.at, len: p.len, before: p.before, as: t.recounted[index]}, true
}
