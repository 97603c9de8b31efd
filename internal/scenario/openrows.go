package scenario

import (
	"maps"

	"github.com/arena-evals/arena/internal/diag"
)

// rowForm is a check with the values of a row.
type rowForm struct {
	check    any // nil: the values cannot be used
	problems []diag.Diagnostic
}

// maxMade is the maximum number of forms that are kept for the rows of a check.
const maxMade = 256

// BindRow is Bind for the values of a row. Its problems are reported for each row, and only a limited number of forms
// is kept. A row with which the check cannot fail is refused. Other doubts about the row are warnings; those about the
// check itself are not repeated.
func (o *OpenCheck) BindRow(v *Values, d *diag.List) any {
	var problems diag.List
	spec, key := o.fillIn(v, nil, func(pos diag.Pos, width int, f placeholderFault) {
		f.addTo(&problems, pos, width, o.spec.Type+": "+f.msg)
	})
	var form rowForm
	if problems.Errors() > 0 {
		form.problems = problems.Sorted()
	} else {
		form = o.formOfRow(v, spec, key)
		for _, p := range problems.Sorted() {
			if p.Code == noValue { // other warnings are about the check itself
				d.Add(p)
			}
		}
	}
	for _, p := range form.problems {
		d.Add(p)
	}
	return form.check
}

func (o *OpenCheck) formOfRow(v *Values, spec Check, key string) rowForm {
	o.mu.Lock()
	form, known := o.ofRow[key]
	own := o.own
	o.mu.Unlock()
	if known {
		return form
	}
	var problems diag.List
	form.check = o.compileWith(v, spec, &problems)
	for _, p := range problems.Sorted() {
		p.Width = 0
		switch {
		case own[p]:
			continue
		case p.Severity == diag.Warning && p.Code == "cannot-fail":
			p.Severity, form.check = diag.Error, nil
		}
		form.problems = append(form.problems, p)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.ofRow) < maxMade {
		if o.ofRow == nil {
			o.ofRow = map[string]rowForm{}
		}
		o.ofRow[key] = form
	}
	return form
}

// BindRows compiles the check for a conversation with rows before it runs, with the first values that fit. Problems of
// single rows are reported by the rows. Problems of the check itself, such as unknown names and common doubts, are
// added to d.
func (o *OpenCheck) BindRows(all []*Values, who string, d *diag.List) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var first *diag.List
	var own map[diag.Diagnostic]bool // warnings that all fitting values cause in the same words
	lacking := false                 // a row lacks values, which it reports itself
	for _, v := range all {
		var problems, unfilled diag.List
		spec, _ := o.fillIn(v, nil, func(pos diag.Pos, width int, f placeholderFault) {
			list := &problems
			if f.code == "empty-value" || f.code == "structured-value" { // of this row
				list = &unfilled
			}
			f.addTo(list, pos, width, o.spec.Type+": "+f.msg+who)
		})
		if problems.Errors() > 0 {
			o.report(&problems, d)
			return
		}
		if unfilled.Errors() > 0 {
			lacking = true
			continue
		}
		check := o.compileWith(v, spec, &problems)
		if check == nil {
			if first == nil && !(v.made && lacking) {
				first = &problems
			}
			continue
		}
		told := map[diag.Diagnostic]bool{}
		for _, p := range problems.Sorted() {
			p.Width = 0 // the width is of the row's value, not of the file
			told[p] = true
		}
		if own == nil {
			own, o.rows = told, check
			if o.first == nil {
				o.first = check
			}
		}
		maps.DeleteFunc(own, func(p diag.Diagnostic, _ bool) bool { return !told[p] })
		if len(own) == 0 {
			return // the rows report their own doubts
		}
	}
	switch {
	case own != nil:
		o.warnOfOwn(own, d)
	case first != nil:
		o.report(first, d)
	}
}

// warnOfOwn adds the warnings of the check that do not depend on rows.
func (o *OpenCheck) warnOfOwn(own map[diag.Diagnostic]bool, d *diag.List) {
	all := maps.Clone(own)
	maps.Copy(all, o.own)
	o.own = all // readers have it without the lock
	var list diag.List
	for p := range own {
		list.Add(p)
	}
	o.report(&list, d)
}
