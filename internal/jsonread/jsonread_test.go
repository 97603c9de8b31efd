package jsonread_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/jsonread"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

type named string

type free map[string]any

type inner struct {
	N     int     `json:"n"`
	Score float64 `json:"score"`
}

// upper reads itself.
type upper string

func (u *upper) UnmarshalJSON(raw []byte) error {
	var text string
	err := json.Unmarshal(raw, &text)
	*u = upper(strings.ToUpper(text))
	return err
}

type all struct {
	inner

	ID     string            `json:"id"`
	Name   named             `json:"name,omitempty"`
	On     bool              `json:"on"`
	Small  int8              `json:"small"`
	Big    int64             `json:"big"`
	Cost   *float64          `json:"cost"`
	Any    any               `json:"any"`
	Free   free              `json:"free"`
	Labels map[string]string `json:"labels"`
	Lists  map[string][]int  `json:"lists"`
	List   []all             `json:"list"`
	Next   *all              `json:"next"`
	Upper  upper             `json:"upper"`
	Uppers []*upper          `json:"uppers"`
	Raw    json.RawMessage   `json:"raw"`
	Data   []byte            `json:"data"`
	Pair   [2]int            `json:"pair"`
	At     time.Time         `json:"at"`
	Number json.Number       `json:"number"`
	Count  uint              `json:"count"`
	Hidden string            `json:"-"`
	Plain  string
}

// slow is the result of encoding/json for the first value of a document.
func slow(doc []byte) (all, error) {
	var v all
	in := json.NewDecoder(bytes.NewReader(doc))
	in.UseNumber()
	return v, in.Decode(&v)
}

var quick = []string{ // what has to be read here
	`{}`,
	` { "id": "x" , "n":1, "score":-0.5e-3,"on":true } ` + "\n",
	`{"id":"a\"b\\c\/d\n\t\r\b\fe\u00e4\ud83d\ude00","name":"Grüße","Plain":"p"}`,
	`{"score":0,"n":-12}`, `{"score":-0}`, `{"score":1e300,"big":123456789012345}`,
	`{"cost":null,"any":null,"free":null,"labels":null,"lists":null,"list":null,"next":null,"uppers":null}`,
	`{"cost":0.1,"any":[1,1.50,"x",true,false,null,{},[],{"a":{"b":[{}]}}],"free":{"a":1e2,"a":2,"é":"\u00e9"}}`,
	`{"labels":{"a":"b","c":""},"lists":{"a":[1,2],"b":[],"c":null},"list":[{"id":"x"},{"id":"x","list":[{}]}]}`,
	`{"next":{"next":{"id":"deep"}},"upper":"word","uppers":["a",null,"b"],"raw":{"a" : [1, "\u00e9"]},"data":"AAEC"}`,
	`{"pair":[1,2],"at":"2026-11-28T11:43:21.127972879Z","number":12.50,"count":7,"small":127}`,
}

var hard = []string{ // what may be left to encoding/json
	``, `{`, `null`, `[]`, `"x"`, `{"id":1}`, `{"id":null}`, `{"ID":"x"}`, `{"id":"x","id":"y"}`, `{"unknown":1}`,
	`{"list":[{"n":1}],"list":[{"id":"x"}]}`, `{"small":128}`, `{"n":1.0}`, `{"n":01}`, `{"n":+1}`, `{"n":1e2}`,
	`{"score":.5}`, `{"score":1.}`, `{"score":0x1}`, `{"score":1e999}`, `{"score":Inf}`, `{"score":1_0}`,
	`{"big":9223372036854775807}`, `{"big":9223372036854775808}`, `{"id":"` + "\x01" + `"}`, `{"id":"` + "\xff" + `"}`,
	`{"id":"\x"}`, `{"id":"\u12"}`, `{"id":"\ud800"}`, `{"raw":"\x"}`, `{"raw":[1,]}`, `{"any":[1,]}`, `{"any":{"a"}}`,
	`{"any":{"a":1,}}`, `{"any":tru}`, `{"id":"x"} trailing`, `{"id":"x"}{}`, `{"id" :"x"}`, `{,}`, `{"id":"x",}`,
	`{"id":"x"`, `{"id":"x`, `{"id":"\`, `{"number":"1"}`, `{"number":"x"}`, `{"count":-1}`, `{"data":"?"}`, `{"upper":1}`,
	`{"any":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`, `{"Hidden":"x"}`, `{"-":"x"}`, `{"pla\u0069n":"x"}`,
}

func check(t *testing.T, doc []byte) (decoded bool) {
	t.Helper()
	var got all
	decoded, distinct := jsonread.DecodeDistinct(doc, &got)
	if !decoded {
		return false
	}
	if key, twice := jsonvalue.KeyTwice(doc); twice && distinct {
		t.Errorf("%q has the key %q twice", doc, key)
	}
	want, err := slow(doc)
	if err != nil {
		t.Errorf("%q is read, although it is wrong: %v", doc, err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(all{})); diff != "" {
		t.Errorf("%q: %s", doc, diff)
	}
	return true
}

// TestDecode: the results equal those of encoding/json, also when texts are already interned.
func TestDecode(t *testing.T) {
	t.Parallel()
	for range 2 {
		for _, doc := range quick {
			if !check(t, []byte(doc)) {
				t.Errorf("%q is not read", doc)
			}
		}
		for _, doc := range hard {
			check(t, []byte(doc))
		}
	}
}

// TestDistinct: a key that is twice in an object is seen, wherever that object is read; and mostly it is known that none
// is.
func TestDistinct(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string]bool{
		`{"id":"x","list":[{"id":"y"},{"id":"z"}],"next":{"id":"{"}}`: true,
		`{"any":{"a":{"b":1},"b":[{"b":2},{"b":3}]}}`:                 true,
		`{"labels":{"a":"1","b":"2"},"lists":{"a":[],"c":null}}`:      true,
		`{"any":{"a":1,"a":2}}`:                                       false,
		`{"any":[{"a":1,"\u0061":2}]}`:                                false,
		`{"free":{"a":{"b":1,"b":1}}}`:                                false,
		`{"free":{"card":1,"Card":2}}`:                                false,
		`{"labels":{"a":"1","a":"1"}}`:                                false,
		`{"labels":{"k":"1","\u212a":"1"}}`:                           false,
		`{"lists":{"a":[1],"A":[1]}}`:                                 false,
		`{"raw":{"a":1,"a":2}}`:                                       false,
		`{"raw":[[{"a":1,"a":2}]]}`:                                   false,
	} {
		var v all
		if decoded, distinct := jsonread.DecodeDistinct([]byte(doc), &v); !decoded || distinct != want {
			t.Errorf("%s: decoded %v, distinct %v, want %v", doc, decoded, distinct, want)
		}
	}
	for _, doc := range []string{`{"id":"x","id":"x"}`, `{"id":"x","ID":"y"}`, `{"next":{"id":"x","Id":"y"}}`} {
		var v all
		if decoded, distinct := jsonread.DecodeDistinct([]byte(doc), &v); decoded || distinct {
			t.Errorf("%s: decoded %v, distinct %v", doc, decoded, distinct)
		}
	}
}

// part is a value with some members of a document.
type part struct {
	ID   string `json:"id"`
	Next *part  `json:"next"`
	List []struct {
		N int `json:"n"`
	} `json:"list"`
}

// TestPart: a part of a document is read as encoding/json reads it.
func TestPart(t *testing.T) {
	t.Parallel()
	read := 0
	for _, doc := range append(quick, append(hard, `{"a":{"id":"no"},"id":"x","b":[{"id":1}],"next":{"c":1.5,"id":"y","d":null}}`,
		`{"list":[{"m":"}","n":1},{"n":2,"m":[[]]}],"id ":1}`, `{"id":"x","ID":"y"}`, `{"Id":"y"}`, `{"i\u0064":"y"}`,
		`{"id" : "x"}`, `{"a":tru}`, `{"a":01}`, `{"a":"\x"}`, `{"a" 1}`, `{"a":}`, `{"a":1`, `{"\u212a":1,"id":"x"}`)...) {
		var got, want part
		if !jsonread.DecodePart([]byte(doc), &got) {
			continue
		}
		read++
		if err := json.Unmarshal([]byte(doc), &want); err != nil {
			t.Errorf("%q is read, although it is wrong: %v", doc, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", doc, diff)
		}
	}
	if read < len(quick) {
		t.Errorf("%d documents are read", read)
	}
}

// TestCutAnywhere: cut documents are refused.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	for _, doc := range quick {
		doc = strings.TrimRight(doc, " \n")
		for at := range doc {
			if check(t, []byte(doc[:at])) {
				t.Errorf("%q is read", doc[:at])
			}
		}
	}
}

// TestNothingIsShared: documents and values that are read later change nothing in those that were read before.
func TestNothingIsShared(t *testing.T) {
	t.Parallel()
	doc := []byte(`{"id":"first","list":[],"raw":[1],"any":["x"]}`)
	var a, b all
	if !jsonread.Decode(doc, &a) || !jsonread.Decode(doc, &b) {
		t.Fatal("not read")
	}
	copy(doc, bytes.Repeat([]byte("#"), len(doc)))
	a.List = append(a.List, all{ID: "more"})
	b.List = append(b.List, all{ID: "other"})
	if a.ID != "first" || a.List[0].ID != "more" || string(a.Raw) != "[1]" || a.Any.([]any)[0] != "x" {
		t.Errorf("%+v", a)
	}
}

func FuzzDecode(f *testing.F) {
	for _, doc := range append(quick, hard...) {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) { check(t, doc) })
}
