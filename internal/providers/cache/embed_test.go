package cache

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// words counts its calls and embeds a text as its length.
type words struct {
	calls int
	err   error
}

func (w *words) Embed(_ context.Context, texts []string) (chat.Embeddings, error) {
	w.calls++
	got := chat.Embeddings{Model: "m-1", Tokens: new(7), CostUSD: new(0.25)}
	for _, text := range texts {
		got.Vectors = append(got.Vectors, []float64{float64(len(text)), 0.1})
	}
	return got, w.err
}

func TestEmbeddings(t *testing.T) {
	t.Parallel()
	s, w := &Store{Dir: t.TempDir(), Note: func(text string) { t.Error(text) }}, &words{}
	for i := range 3 {
		got, err := s.WrapEmbedder(w, spec()).Embed(t.Context(), []string{"a", "bc"})
		want := chat.Embeddings{
			Vectors: [][]float64{{1, 0.1}, {2, 0.1}}, Model: "m-1", Tokens: new(7), CostUSD: new(0.25), Cached: i > 0,
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("call %d: %v (-want +got):\n%s", i+1, err, diff)
		}
	}
	other := spec()
	other.Model = "n"
	for name, ask := range map[string]struct {
		spec  *scenario.Provider
		texts []string
	}{"another model": {other, []string{"a", "bc"}}, "another text": {spec(), []string{"a", "bd"}}, "one text": {spec(), []string{"a"}}} {
		before := w.calls
		if got, err := s.WrapEmbedder(w, ask.spec).Embed(t.Context(), ask.texts); err != nil || got.Cached || w.calls == before {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	broken := &words{err: &providers.Error{Kind: providers.Transport, Msg: "cut"}}
	for range 2 {
		_, err := s.WrapEmbedder(broken, spec()).Embed(t.Context(), []string{"x"})
		if failed, ok := errors.AsType[*providers.Error](err); !ok || failed.Kind != providers.Transport {
			t.Error(err)
		}
	}
	if broken.calls != 2 {
		t.Errorf("%d calls, want 2: a failure was kept", broken.calls)
	}
	if st, err := s.Stats(); st.Entries != 4 || st.Damaged != 0 || err != nil {
		t.Errorf("%+v, %v", st, err)
	}
}

// TestSecretsAreNotKept: vectors of texts with secrets are not stored.
func TestSecretsAreNotKept(t *testing.T) {
	t.Parallel()
	notes := 0
	s := &Store{Dir: t.TempDir(), Note: func(string) { notes++ }, Secret: func([]byte) bool { return true }}
	m := helloModel()
	for range 2 {
		if reply, err := s.Wrap(m, spec()).Complete(t.Context(), question(), nil); err != nil || reply.Cached {
			t.Errorf("%+v, %v", reply, err)
		}
	}
	if st, err := s.Stats(); st.Entries != 0 || notes != 2 || err != nil {
		t.Errorf("%+v, %d notes, %v", st, notes, err)
	}
}
