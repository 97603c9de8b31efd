package receiver

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/spans"
)

// TestKeep: each field of a span comes out as it went in, those that get added to the type included.
func TestKeep(t *testing.T) {
	t.Parallel()
	n := 0
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		n++
		switch v.Interface().(type) {
		case time.Time:
			v.Set(reflect.ValueOf(time.Unix(int64(n), 0).UTC()))
			return
		}
		switch v.Kind() {
		case reflect.String:
			v.SetString(fmt.Sprint("text ", n))
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Int:
			v.SetInt(int64(n))
		case reflect.Uint8:
			v.SetUint(1)
		case reflect.Float64:
			v.SetFloat(float64(n) / 4)
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem())
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fill(v.Index(0))
			fill(v.Index(1))
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).Name != "Estimated" { // spans have none
					fill(v.Field(i))
				}
			}
		default:
			t.Fatalf("a %s cannot be kept", v.Type())
		}
	}
	var one, none spans.Span
	fill(reflect.ValueOf(&one).Elem())
	got := readSpans(appendSpan(appendSpan(appendSpan(nil, &one), &none), &one))
	if diff := cmp.Diff([]spans.Span{one, none, one}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
