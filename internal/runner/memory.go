package runner

import (
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/tools"
	"github.com/arena-evals/arena/internal/tools/memory"
)

// remember gives the trial its own memory, if the project has one.
func (s *session) remember() {
	t := s.trial
	if t.Project.memory == nil || t.Recorded != nil || t.Finished != nil {
		return
	}
	seeds := slices.Clone(t.Scenario.SeedMemories)
	for i := range seeds {
		seeds[i].Content, _ = s.values.at(noTurn).UserText(seeds[i].Content) // loading reports unknown placeholders
	}
	s.memory = memory.New(seeds)
	s.box.Own(t.Project.memory, s.memory)
}

// remembers reports whether a tool belongs to the memory.
func (s *session) remembers(tool string) bool {
	return s.memory != nil && strings.HasPrefix(tool, memory.Prefix)
}

// memoryOpener is the source of the memory tools. Every trial has its own store.
func memoryOpener() *tools.Opener {
	return &tools.Opener{Name: "memory", Scope: tools.PerSession, Always: true}
}
