package result

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
)

// checkNumbers checks all numbers of the trial, because most of them are added up.
func (t *Trial) checkNumbers() error { return checkNumbersIn(t) }

// CheckNumbers checks the numbers of a result that another program wrote.
func (e *EvalResult) CheckNumbers() error { return checkNumbersIn(e) }

func checkNumbersIn(v any) error {
	if where, n, found := implausible(reflect.ValueOf(v).Elem(), false); found {
		return fmt.Errorf("%s cannot be %g; expected 0 to %g", where, n, float64(chat.Most))
	}
	return nil
}

// ClampNumbers makes a trial readable again: an impossible number is replaced by the nearest possible one, or by none,
// and the trial becomes an error that names it.
func (t *Trial) ClampNumbers() {
	err := t.checkNumbers()
	if err == nil {
		return
	}
	implausible(reflect.ValueOf(t).Elem(), true)
	why := "what it took cannot be: " + err.Error()
	if t.Error != "" {
		why = t.Error + "; " + why
	}
	t.Error = why
	t.Settle()
}

// implausible finds a number that cannot be a measurement, and its place. mend: it corrects all of them and finds none.
// Free-form values may hold any number.
func implausible(v reflect.Value, mend bool) (where string, n float64, found bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return "", 0, false
		}
		where, n, found = implausible(v.Elem(), mend && v.Elem().Kind() == reflect.Struct)
		if found && mend {
			v.SetZero()
			found = false
		}
		return where, n, found
	case reflect.Slice:
		for i := range v.Len() {
			if where, n, found = implausible(v.Index(i), mend); found {
				return joinPath(fmt.Sprintf("[%d]", i), where), n, true
			}
		}
	case reflect.Struct:
		for _, f := range measuredFields(v.Type()) {
			if where, n, found = implausible(v.Field(f.index), mend); found {
				return joinPath(f.name, where), n, true
			}
		}
	case reflect.Float64:
		if n = v.Float(); !chat.Measured(n) && mend {
			v.SetFloat(nearest(n))
			return "", 0, false
		}
		return "", n, !chat.Measured(n)
	case reflect.Int:
		if n = float64(v.Int()); !chat.Measured(n) && mend {
			v.SetInt(int64(nearest(n)))
			return "", 0, false
		}
		return "", n, !chat.Measured(n)
	default:
	}
	return "", 0, false
}

// nearest is the nearest number that can be a measurement.
func nearest(n float64) float64 {
	if math.IsNaN(n) {
		return 0
	}
	return min(max(n, 0), chat.Most)
}

type measuredField struct {
	index int
	name  string // in JSON; "" of an embedded struct
}

// fieldsByType caches the fields of structs that may contain measured numbers.
var fieldsByType sync.Map

func measuredFields(t reflect.Type) []measuredField {
	if known, ok := fieldsByType.Load(t); ok {
		return known.([]measuredField)
	}
	var fields []measuredField
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "-" && field.IsExported() && !freeNumbers[name] && mayMeasure(field.Type) {
			fields = append(fields, measuredField{i, name})
		}
	}
	fieldsByType.Store(t, fields)
	return fields
}

// mayMeasure reports whether values of a type may contain measured numbers. No result type is recursive.
func mayMeasure(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return mayMeasure(t.Elem())
	case reflect.Struct:
		return len(measuredFields(t)) > 0
	case reflect.Float64, reflect.Int:
		return true
	default:
		return false
	}
}

// joinPath returns the path of a field within another field. An embedded struct adds no name.
func joinPath(name, rest string) string {
	if name == "" || rest == "" || rest[0] == '[' {
		return name + rest
	}
	return name + "." + rest
}

// freeNumbers are fields with numbers that are not measured: indexes, which may be -1, and values from checks or
// authors.
var freeNumbers = map[string]bool{
	"turn": true, "score": true, "min_score": true, "max_score": true, "pass_threshold": true, "metric_value": true,
	"position": true, "args": true, "metadata": true, "details": true,
}
