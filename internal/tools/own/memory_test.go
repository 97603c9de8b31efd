package own_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools/memory"
)

// The loader knows the tools of a memory by their names.
func TestMemoryToolsAreKnown(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(memory.Names(), (&scenario.Project{Memory: true}).OwnTools()); diff != "" {
		t.Errorf("the tools of a memory are not those that names are held against (-memory +known)\n%s", diff)
	}
}
