// Package arena tests LLM agents and prompts from Go: it runs the scenarios that the arena command runs, with checks,
// judges and hooks that are written in Go.
//
// # Running
//
// [Run] loads files, plans their trials, runs them and says what came of each. [Load] stops after the plan. Package
// [github.com/arena-evals/arena/arenatest] does the same within go test, a subtest for each trial.
//
// What is run need not be on disk: [Options].Files has scenarios and everything that belongs to them as texts. Options
// record and replay runs, keep replies, and measure and trace what happens, as the flags of the command do.
//
// # Checks
//
// A [Check] scores what it sees and decides nothing. [Register] puts it under a name into a [Registry], with parameters
// that files are held against while they are loaded: a mistyped name is reported with its line before any model is
// called, as for the checks of arena. By that name it can stand as an assertion, which gates a test, as a guardrail,
// which acts on what the model says, and as an eval, which measures. A [StreamChecker] also judges a reply while it is
// written.
//
// # Judges and hooks
//
// A [Judge] grades in place of a model for every check that asks a judge. A [ProviderHook] sees every call of a model
// and may change or refuse it; a [ChunkInterceptor] sees the pieces of a reply that streams and may close the stream.
//
// # Evals over conversations
//
// [Evaluate] runs the evals of a pack over a conversation that a program had itself, and an [Evaluator] over many.
// When its context ends, an evaluation ends, and nothing that was not measured by then passes.
//
// # What holds everywhere
//
// Nothing is global: what a program registers travels in [Options]. Code of the program that panics, or that ends its
// goroutine, makes the verdict or the trial an error that names it; it never makes anything pass, and never ends the
// process. What could not be judged is an error and not a score of 0. Models and networks are called only where files
// or options name them.
package arena
