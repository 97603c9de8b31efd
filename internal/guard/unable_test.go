package guard

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// fragile is a check that finds fault with nothing, and cannot read on after an exclamation mark.
type fragile struct{}

func (fragile) Eval(context.Context, *checks.Subject) (checks.Finding, error) {
	return checks.Finding{Score: 1}, nil
}

func (fragile) Stream() checks.Stream { return &fragileStream{} }

type fragileStream struct{ err error }

func (s *fragileStream) Write(piece string) float64 {
	if strings.Contains(piece, "!") {
		s.err = errors.New("it shouts")
	}
	return 1
}

func (s *fragileStream) Err() error { return s.err }

// TestUnableInTheMiddle breaks a guardrail while the reply is written. What it would say at the end does not count.
func TestUnableInTheMiddle(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		effect checks.Effect
		read   int // pieces that were taken
		says   string
		fired  string
	}{
		{checks.Replaces, 2, refusal, "fragile replaced closed"},
		{checks.Records, 3, "Oh no! Dear.", "fragile recorded"},
	} {
		t.Run(tc.effect.String(), func(t *testing.T) {
			t.Parallel()
			r := fragileSet(t, tc.effect).Reply()
			read := 0
			for _, piece := range []string{"Oh ", "no! ", "Dear."} {
				read++
				if err := r.OnDelta(chat.Delta{Text: piece}); errors.Is(err, providers.ErrEnough) {
					break
				}
			}
			o := r.Finish(t.Context(), before(), assistant("Oh no! Dear."), nil)
			if read != tc.read || o.Message.Content != tc.says || o.Err == nil {
				t.Errorf("read %d, says %q, error %v", read, o.Message.Content, o.Err)
			}
			if diff := cmp.Diff([]string{tc.fired}, told(o.Firings)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if v := o.Firings[0].Verdict; v.Status != result.Errored || v.Error != "it shouts" {
				t.Errorf("%+v", v)
			}
		})
	}
}

func fragileSet(t *testing.T, effect checks.Effect) *Set {
	t.Helper()
	def, err := checks.Custom(checks.Def{Name: "fragile", OnFire: effect, Needs: checks.NeedsReply},
		func(struct{}) (checks.Check, error) { return fragile{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	table, err := checks.NewTable(def)
	if err != nil {
		t.Fatal(err)
	}
	compiler := checks.Compiler{Custom: table}
	var problems diag.List
	v := scenario.ReadValidator("prompt.yaml", []byte(`{type: fragile}`), func(c *scenario.Check, d *diag.List) {
		c.Compiled = compiler.Compile(c, d)
	}, &problems)
	if v == nil {
		t.Fatal(problems.Sorted())
	}
	s, err := New([]*scenario.Validator{v})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
