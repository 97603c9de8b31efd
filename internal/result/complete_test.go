package result

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
)

// numbers visits every number of a type, with one entry in each list on the way. path is as in JSON.
func numbers(v reflect.Value, path string, visit func(path string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		numbers(v.Elem(), path, visit)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		numbers(v.Index(0), path+"[0]", visit)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[diag.Pos]() {
			return
		}
		for i := range v.NumField() {
			field := v.Type().Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			switch {
			case name == "-" || !field.IsExported():
			case name == "":
				numbers(v.Field(i), path, visit)
			default:
				numbers(v.Field(i), strings.TrimPrefix(path+"."+name, "."), visit)
			}
		}
	case reflect.Float64, reflect.Int:
		visit(path, v)
	default:
	}
}

// TestAbsurdNumbers: no number of a trial that was measured may be one that nothing can measure, wherever it stands.
func TestAbsurdNumbers(t *testing.T) {
	t.Parallel()
	var trial Trial
	seen := 0
	numbers(reflect.ValueOf(&trial).Elem(), "", func(path string, v reflect.Value) {
		name := path[strings.LastIndex(path, ".")+1:]
		if freeNumbers[name] {
			return
		}
		seen++
		for _, n := range []float64{-1, -0.5, 1e16, 1e308, math.NaN(), math.Inf(1)} {
			if v.Kind() == reflect.Int {
				if n != math.Trunc(n) || n > 1e18 {
					continue
				}
				v.SetInt(int64(n))
			} else {
				v.SetFloat(n)
			}
			if err := trial.checkNumbers(); err == nil || !strings.HasPrefix(err.Error(), path+" cannot be ") {
				t.Errorf("%s is %g: got %v", path, n, err)
			}
		}
		v.SetZero()
	})
	for _, path := range []string{"eval_results[0].duration_ms", "eval_results[0].judgements[0].cost_usd"} {
		found := false
		numbers(reflect.ValueOf(&trial).Elem(), "", func(p string, _ reflect.Value) { found = found || p == path })
		if !found {
			t.Errorf("%s was not looked at", path)
		}
	}
	if seen < 40 {
		t.Errorf("only %d numbers", seen)
	}
}
