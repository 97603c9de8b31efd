package result

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// everything is a trial with an entry in each of its lists and a value for each of its pointers.
func everything() *Trial {
	t := &Trial{}
	numbers(reflect.ValueOf(t).Elem(), "", func(string, reflect.Value) {})
	places(reflect.ValueOf(t).Elem(), "", func(_ string, v reflect.Value) {
		switch v.Interface().(type) {
		case json.RawMessage:
			v.Set(reflect.ValueOf(json.RawMessage(`{}`)))
		case Status:
			v.Set(reflect.ValueOf(Errored))
		case chat.Role:
			v.Set(reflect.ValueOf(chat.Assistant))
		}
	})
	t.ID, t.Trial, t.Trials = "s/p/default", 1, 1
	t.Error = "the provider is away"
	t.Settle()
	return t
}

// places visits what is neither a struct, a list nor a pointer in a value, with its path.
func places(v reflect.Value, path string, visit func(path string, v reflect.Value)) {
	switch {
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		visit(path, v)
	case v.Type() == reflect.TypeFor[diag.Pos]() || v.Type() == reflect.TypeFor[time.Time]():
	case v.Kind() == reflect.Pointer:
		places(v.Elem(), path, visit)
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			places(v.Index(i), path, visit)
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); field.IsExported() && name != "-" {
				places(v.Field(i), path+"."+name, visit)
			}
		}
	default:
		visit(path, v)
	}
}

// TestBoundTrialsAreReadBack: whatever number a trial comes to, its line is one that the journal takes back.
func TestBoundTrialsAreReadBack(t *testing.T) {
	t.Parallel()
	seen := 0
	try := func(place int, n float64) {
		trial, at, path := everything(), 0, ""
		places(reflect.ValueOf(trial).Elem(), "", func(p string, v reflect.Value) {
			if at++; at-1 != place {
				return
			}
			switch {
			case p == ".trial" || p == ".trials" || p == ".turns.index": // arena counts these itself
			case v.Kind() == reflect.Float64:
				path = p
				v.SetFloat(n)
			case v.Kind() == reflect.Int && n < 1e18:
				path = p
				v.SetInt(int64(n))
			}
		})
		if path == "" {
			return
		}
		trial.ClampNumbers()
		line, err := EncodeLine(trial)
		if free := freeNumbers[path[strings.LastIndex(path, ".")+1:]]; err != nil && free {
			return // infinite scores
		}
		if err == nil {
			err = Readable(line, true)
		}
		if seen++; err != nil {
			t.Errorf("%s is %g: %v", path, n, err)
		}
	}
	all := 0
	places(reflect.ValueOf(everything()).Elem(), "", func(string, reflect.Value) { all++ })
	for place := range all {
		for _, n := range []float64{-1, 1e16, 5e17, math.MaxFloat64, math.Inf(1), math.NaN()} {
			try(place, n)
		}
	}
	if seen < 200 {
		t.Errorf("only %d numbers", seen)
	}
}

// TestBound: a price that cannot be is not known then, a time is the most that can be, and both are told.
func TestBound(t *testing.T) {
	t.Parallel()
	trial := hostile(0, "a")
	trial.CostUSD, trial.DurationMS = new(5e15), math.Inf(1)
	trial.ClampNumbers()
	if trial.CostUSD != nil || trial.DurationMS != 1e15 || trial.Status != Errored ||
		!strings.Contains(trial.Error, "duration_ms cannot be +Inf; expected 0 to 1e+15") {
		t.Errorf("got %v, %g, %s: %s", trial.CostUSD, trial.DurationMS, trial.Status, trial.Error)
	}
	trial = hostile(0, "a")
	trial.CostUSD = new(5.0)
	trial.ClampNumbers()
	if trial.Error != "" || *trial.CostUSD != 5 {
		t.Errorf("a price of 5: %v, %s", trial.CostUSD, trial.Error)
	}
}

// TestFreeKeysAreReadBack: where somebody else chooses the keys, some that differ only in case are fine, and what a
// server wrote for itself may be anything.
func TestFreeKeysAreReadBack(t *testing.T) {
	t.Parallel()
	trial, seen := everything(), 0
	places(reflect.ValueOf(trial).Elem(), "", func(path string, v reflect.Value) {
		was := reflect.New(v.Type()).Elem()
		was.Set(v)
		switch v.Interface().(type) {
		case map[string]string:
			v.Set(reflect.ValueOf(map[string]string{"Card": "x", "card": "y"}))
		case jsonvalue.Object:
			v.Set(reflect.ValueOf(jsonvalue.Object{"Card": "x", "in": jsonvalue.Object{"Status": 1, "status": 2}}))
		case json.RawMessage:
			v.Set(reflect.ValueOf(json.RawMessage(`{"a":1,"A":2,"a":[{"b":1,"b":2}]}`)))
		default:
			if v.Kind() != reflect.Interface {
				return
			}
			v.Set(reflect.ValueOf(jsonvalue.Object{"Card": "x", "card": "y"}))
		}
		seen++
		line, err := EncodeLine(trial)
		if err == nil {
			err = Readable(line, true)
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		v.Set(was)
	})
	if seen < 10 {
		t.Errorf("only %d places", seen)
	}
}

// TestReadableNotices: what may have become unreadable is read again before it is written.
func TestReadableNotices(t *testing.T) {
	t.Parallel()
	deep := jsonvalue.Object{}
	for range 9_999 {
		deep = jsonvalue.Object{"a": deep}
	}
	for name, details := range map[string]jsonvalue.Object{
		"deep": deep, "keys of broken text": {"\xff": 1, "\xfe": 2},
	} {
		trial := hostile(0, "a")
		trial.Metadata = details
		line, err := EncodeLine(trial)
		if err == nil {
			err = Readable(line, false)
		}
		if err == nil {
			t.Errorf("%s: it cannot be read", name)
		}
	}
}
