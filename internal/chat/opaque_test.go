package chat

import "testing"

// TestOpaqueIsForItsProvider: nobody else gets the state of a provider, and it survives the way into a message.
func TestOpaqueIsForItsProvider(t *testing.T) {
	t.Parallel()
	var none *Opaque
	state := &Opaque{From: "anthropic/claude", Data: []byte(`["x"]`)}
	for from, want := range map[string]string{"anthropic/claude": `["x"]`, "anthropic/other": "", "": ""} {
		if got := string(state.For(from)); got != want {
			t.Errorf("%q gets %q, want %q", from, got, want)
		}
	}
	if none.For("") != nil {
		t.Error("no state is some")
	}
	if m := (&Reply{Opaque: state}).Message(); m.Opaque != state || m.Said().Opaque != state {
		t.Error("the state is lost on the way into the transcript")
	}
}
