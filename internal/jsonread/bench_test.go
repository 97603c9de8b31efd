package jsonread_test

import (
	"testing"

	"github.com/arena-evals/arena/internal/jsonread"
)

// BenchmarkDecode reads a document here and with encoding/json.
func BenchmarkDecode(b *testing.B) {
	doc := []byte(`{"list":[{"id":"a/b/default#1","name":"a","on":true,"n":12,"score":0.25,"list":[{"id":"Please confirm the ` +
		`order 12 for customer 1.\n{\"order\":12}","cost":0.0007,"free":{"found":1,"missing":[],"total":1}}]}]}`)
	b.Run("here", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var v all
			if !jsonread.Decode(doc, &v) {
				b.Fatal("not read")
			}
		}
	})
	b.Run("encoding", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := slow(doc); err != nil {
				b.Fatal(err)
			}
		}
	})
}
