package scenario_test

import (
	"runtime"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

func TestZZMem(t *testing.T) {
	const n = 5000
	dir := writeSuite(t, n)
	compile := func(c *scenario.Check, _ *diag.List) { c.Compiled = true }
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	suite, diags := scenario.Load(scenario.Options{Dir: dir, Compile: compile})
	var peak runtime.MemStats
	runtime.ReadMemStats(&peak)
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&after)
	t.Log(diags.Errors(), (after.HeapAlloc-before.HeapAlloc)/n, peak.Sys>>20, peak.HeapSys>>20)
	runtime.KeepAlive(suite)
}
