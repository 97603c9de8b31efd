package scenario

import "github.com/arena-evals/arena/internal/diag"

// Options of Load. The zero value loads config.arena.yaml from the working directory.
type Options struct {
	Dir        string   // the working directory; "" is that of the process
	Paths      []string // files, directories, globs
	Packs      []string // those of Paths that must be packs
	Config     string   // -c
	MockConfig string   // --mock-config
	Lenient    bool     // unknown fields and parameters are warnings
	// AllowUncertain lets the verdict uncertain of a judge pass in scenarios with run_command.
	AllowUncertain bool
	Regions        []string // --region: reported where no file uses it
	SkipEvals      bool     // evals are not run, so problems about them are not reported
	// Memory are files that are not read from disk, by names with slashes below Dir. They hide files of the same names.
	// If neither Paths nor Config are set, the config among them is loaded, else all of them. Files that programs and
	// clients open (media, keys, skills, recordings) have to be on disk.
	Memory map[string][]byte
	// Bare is for commands that run no scenario: a project may have none, and without a config it is empty.
	Bare bool
	// KeepWritten keeps the source of scenarios, to write similar ones; see Scenario.Setting.
	KeepWritten bool
	// Recorded says that recordings are named elsewhere: those of evals are ignored.
	Recorded bool
	// Sent says that the project runs on another machine, which only has the files below the working directory:
	// relative paths out of it are errors, and Suite.Read has the files of the project.
	Sent bool
	// Compile is called for every check while its file is read, from several goroutines at once. It reports to d and
	// keeps its result in c.Compiled; c.Params is dropped afterwards. Nil leaves the checks raw. See Check.Early.
	Compile func(c *Check, d *diag.List)
	// Getenv reads the environment; nil means an empty one. `.env` files beside the configs are added by Load.
	Getenv func(string) (string, bool)
}
