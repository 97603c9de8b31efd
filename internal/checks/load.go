package checks

import (
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// Load reads a suite and compiles its checks. Problems are in the list.
func Load(opts scenario.Options) (*scenario.Suite, *diag.List) { return LoadWith(opts, nil) }

// LoadWith is Load with additional checks; custom may be nil.
func LoadWith(opts scenario.Options, custom *Table) (*scenario.Suite, *diag.List) {
	compiler := &Compiler{Lenient: opts.Lenient, Custom: custom}
	opts.Compile = func(c *scenario.Check, d *diag.List) {
		if compiled := compiler.Compile(c, d); compiled != nil {
			c.Compiled = compiled
		}
	}
	suite, diags := scenario.Load(opts)
	for _, p := range suite.Projects {
		compiler.ReportHandlers(p, diags)
	}
	return suite, diags
}
