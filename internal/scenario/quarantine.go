package scenario

import (
	"time"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// Quarantine says that a scenario runs but does not count, until a day.
type Quarantine struct {
	Pos           diag.Pos
	Until         time.Time // the last day
	UntilPos      diag.Pos
	Reason, Owner string
}

var quarantineFields = table("quarantine", func() rows[Quarantine] {
	return rows[Quarantine]{
		custom("until", dateShape{}, func(d *decoder, q *Quarantine, v *node.Node) {
			q.Until, _ = d.date(v, "until")
			q.UntilPos = d.Pos(v)
		}).must("say until when it lasts: until: 2027-01-31").
			doc("The last day of it, in UTC. From the next one on the scenario decides again, and the run fails until the " +
				"quarantine is taken out."),
		custom("reason", text, func(d *decoder, q *Quarantine, v *node.Node) { q.Reason, _ = d.Name(v, "reason") }).
			must("say why the scenario decides nothing: reason: the refund service is down").
			doc("Why the scenario decides nothing."),
		custom("owner", text, func(d *decoder, q *Quarantine, v *node.Node) { q.Owner, _ = d.Name(v, "owner") }).
			doc("Who takes care of it."),
	}
})

// quarantineField is the key quarantine.
func quarantineField[T any](of func(*T) **Quarantine) *field[T] {
	return custom("quarantine", quarantineFields, func(d *decoder, t *T, v *node.Node) {
		if v.Kind != node.Map {
			d.WrongType(v, "quarantine", "a map").Hint = "say until when, and why: {until: 2027-01-31, reason: the refund " +
				"service is down}"
			return
		}
		q := &Quarantine{Pos: d.keyPos(v, "until")}
		if quarantineFields.read(d, v, q) {
			*of(t) = q
		}
	}).doc("Runs the scenario, and shows what it came to apart: it makes no run red or green, until a day.")
}

// dateShape is a day.
type dateShape struct{}

func (dateShape) Label() string { return "day such as 2027-01-31" }

func (dateShape) Schema(keys.Writer) *jsonschema.Doc {
	return &jsonschema.Doc{Type: jsonschema.Types{"string"}, Format: "date", Pattern: `^\d{4}-\d{2}-\d{2}$`}
}

func (dateShape) Check(r keys.Reader, n *node.Node, what string) {
	if d, ok := r.(*decoder); ok {
		d.date(n, what)
	}
}

// date reads a day, as its beginning in UTC.
func (d *decoder) date(v *node.Node, what string) (time.Time, bool) {
	written, ok := d.Name(v, what)
	if !ok {
		return time.Time{}, false
	}
	day, err := time.Parse(time.DateOnly, written)
	if err != nil || day.Year() < 1 {
		d.Errorf(v, "wrong-type", "%s must be a day such as 2027-01-31, found %q", what, written)
		return time.Time{}, false
	}
	return day, true
}
