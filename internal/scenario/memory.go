package scenario

import (
	"maps"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// SeedMemory is something that the agent remembers before the conversation begins.
type SeedMemory struct {
	Content    string
	Type       string   // "": the usual one
	Confidence *float64 // nil: the usual one
	Metadata   map[string]any
	Pos        diag.Pos
}

var seedMemoryFields = table("a memory", func() rows[SeedMemory] {
	return rows[SeedMemory]{
		label("content", func(m *SeedMemory) *string { return &m.Content }).must().
			doc("What the agent remembers; may hold {{placeholders}}."),
		label("type", func(m *SeedMemory) *string { return &m.Type }).preset("general").asIs().doc("The kind of memory."),
		numPtr("confidence", unit, func(m *SeedMemory) **float64 { return &m.Confidence }).preset("0.8").
			doc("How sure it is."),
		custom("metadata", anyMap, func(d *decoder, m *SeedMemory, v *node.Node) {
			if all, ok := d.Any(v).(map[string]any); ok {
				m.Metadata = maps.Clone(all)
			}
		}).asIs().doc("What else is known of it."),
	}
})

func readSeedMemories(d *decoder, s *Scenario, v *node.Node) {
	d.Items(v, "seed_memories", func(_ int, item *node.Node) {
		m := SeedMemory{Pos: d.Pos(item)}
		if seedMemoryFields.read(d, item, &m) {
			s.SeedMemories = append(s.SeedMemories, m)
		}
	})
}

// seedMemories reports memories for agents that have none.
func (b *build) seedMemories() {
	if b.p.Memory || b.broken[kindArena] {
		return
	}
	for _, s := range b.p.Scenarios {
		if len(s.SeedMemories) > 0 {
			b.l.diags.Errorf(s.SeedMemories[0].Pos, 1, "no-memory",
				"scenario %q: seed_memories is of no use: the project has no memory", s.ID).Hint =
				"write memory: {} into the config, or take them out"
		}
	}
}
