package media

import "testing"

// TestPageless: a PDF without a page is refused.
func TestPageless(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"1 0 obj<</Type/Pages/Kids[]/Count 0>>endobj":            true,
		"1 0 obj<</Type /Catalog>>endobj":                        true,
		"1 0 obj<</Type/Page/Parent 2 0 R>>endobj":               false,
		"1 0 obj<</Type\n/Page\n>>endobj":                        false,
		"1 0 obj<</Type/P#61ge>>endobj":                          false,
		"1 0 obj<</Type/ObjStm/N 9>>stream ... endstream endobj": false,
		"paper": false,
	} {
		if got := pageless([]byte("%PDF-1.7\n" + text + "\n%%EOF")); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
