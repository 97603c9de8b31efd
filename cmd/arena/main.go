// Arena is a test runner for LLM agents and prompts.
package main

import (
	"os"

	"github.com/arena-evals/arena/internal/cli"
)

func main() { os.Exit(cli.Main(cli.System())) }
