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
	// AllowUncertain lets the verdict uncertain of the judge of a scenario with run_command pass.
	AllowUncertain bool
	Regions        []string // --region: told where nothing reads which one it is
	SkipEvals      bool     // no evals are run: what would keep them from judging is of no interest
	// Memory are files that are not read from disk, by names with slashes below Dir. They hide files of the same names.
	// Where neither Paths nor Config name anything, they do: the config among them, else all of them. What programs and
	// clients open (media, keys, skills, recordings) has to be on disk.
	Memory map[string][]byte
	// Bare is for commands that run no scenario: a project may have none, and where nothing is named and there is no
	// config, it is empty.
	Bare bool
	// KeepWritten keeps what the files say of scenarios, for who writes other scenarios after them; see Scenario.Setting.
	KeepWritten bool
	// Recorded says that recordings are named elsewhere: those that evals name are not looked at.
	Recorded bool
	// Sent says that the project is run elsewhere, by who has only what is below the working directory: relative paths
	// that lead out of it are errors, and Suite.Read has the files of the project.
	Sent bool
	// Compile is called for every check while its file is read, from several goroutines at once. It reports to d and
	// keeps its result in c.Compiled; c.Params is dropped afterwards. Nil leaves the checks raw. See Check.Early.
	Compile func(c *Check, d *diag.List)
	// Getenv reads the environment; nil means an empty one. `.env` files beside the configs are added by Load.
	Getenv func(string) (string, bool)
}
