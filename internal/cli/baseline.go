package cli

import (
	"github.com/arena-evals/arena/internal/baseline"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/result"
)

// holdAgainst reads the baseline of the run and reports what is wrong with it. A shard has no baseline: a setting is
// ignored, a flag is an error.
func (f *runFlags) holdAgainst(app *App, shard bool, d *diag.List) {
	switch {
	case f.baseline == "" && f.knownFailures: // the run that is judged again had none either
		d.Errorf(diag.Pos{}, 0, "baseline", "%v", errKnownOfNone)
	case f.baseline == "":
	case shard && (f.given.typed("baseline") || f.knownFailures):
		d.Errorf(diag.Pos{}, 0, "baseline", "a shard is not held against a baseline: the whole run is").Hint =
			"leave --baseline and --known-failures out here, and give them to arena merge"
	case shard:
		if !f.quiet {
			app.remark("a shard is not held against %s: arena merge --baseline holds the whole run against it", f.baseline)
		}
	default:
		f.basis = openBasis(f.baseline, f.knownFailures, d)
	}
}

// openBasis reads the baseline of a run. It reports an unreadable one and returns nil.
func openBasis(path string, knownFailures bool, d *diag.List) *result.Basis {
	file, problem := readBaseline(path)
	if problem != nil {
		d.Add(*problem)
		return nil
	}
	return &result.Basis{Path: path, File: file, KnownFailures: knownFailures}
}

func readBaseline(path string) (*baseline.File, *diag.Diagnostic) {
	data, err := plainfile.Read(path)
	if err != nil {
		return nil, &diag.Diagnostic{
			Code: "baseline", Hint: "arena bless makes a baseline of a run",
			Msg: "--baseline " + path + " cannot be read: " + plainfile.WithoutPath(err).Error(),
		}
	}
	return baseline.Read(path, data)
}
