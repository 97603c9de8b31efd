package node

import (
	"testing"

	"github.com/arena-evals/arena/internal/diag"
)

func canonical(t *testing.T, text string) string {
	t.Helper()
	r := &Reader{File: "x.yaml", Diags: &diag.List{}}
	docs := Parse(r, []byte(text))
	if len(docs) != 1 || r.Diags.Errors() > 0 {
		t.Fatalf("%q: %v", text, r.Diags.Sorted())
	}
	return string(AppendCanonical(nil, docs[0]))
}

func TestAppendCanonical(t *testing.T) {
	t.Parallel()
	same := []string{
		"a: [1, two]\nb: {c: d, e: true}\n", "# why\nb:\n  e: true\n  c: 'd'\na:\n  - 1\n  - \"two\" # here\n",
		`{"b": {"c": "d", "e": true}, "a": [1, "two"]}`, "x: &x {c: d, e: true}\na: [1, two]\nb: *x\n",
	}
	want := canonical(t, same[0])
	for _, text := range same[1:3] {
		if canonical(t, text) != want {
			t.Errorf("%q differs from %q", text, same[0])
		}
	}
	different := append(same[3:], same[0], "a: [1, 2]\nb: {c: d, e: true}\n", "a: [1, two]\nb: {c: d, e: 'true'}\n",
		"a: [two, 1]\nb: {c: d, e: true}\n", "a: [1, two, null]\nb: {c: d, e: true}\n", "a: [1, two]\nb: {c: d, e: }\n",
		"a: [1, two]\nb: [c, d, e, true]\n", "a: [1two]\n", "a: ['1', two]\nb: {c: d, e: true}\n", "[]", "{}", "[~]", "['~']")
	seen := map[string]string{}
	for _, text := range different {
		form := canonical(t, text)
		if before, duplicate := seen[form]; duplicate {
			t.Errorf("%q is like %q", text, before)
		}
		seen[form] = text
	}
}

const manyKeys = "type: regex\nparams: {pattern: 'ORD-\\d{5}', expect_match: true, z: [1, two, {b: c, a: d}], a: ~}\n"

func TestAppendCanonicalTakesNoRoom(t *testing.T) {
	n := Parse(&Reader{File: "x.yaml", Diags: &diag.List{}}, []byte(manyKeys))[0]
	b := AppendCanonical(nil, n)
	b = make([]byte, 0, 4*len(b))
	if allocs := testing.AllocsPerRun(100, func() { AppendCanonical(b, n) }); allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func BenchmarkAppendCanonical(b *testing.B) {
	n := Parse(&Reader{File: "x.yaml", Diags: &diag.List{}}, []byte(manyKeys))[0]
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendCanonical(buf[:0], n)
	}
}
