package jsonschema

import "testing"

func TestTypeMeant(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"numbr": "write type: number", "str": "write type: string", "Int": "write type: integer", "List": "write type: array",
		"date": "write type: string, format: date", "zebra": "", "": "",
	} {
		if got := TypeMeant(word); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}
