package mcp

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/arena-evals/arena/internal/process"
	"github.com/arena-evals/arena/internal/tools/mcptest"
)

// serverName is the variable that makes the test program a server.
const serverName = "ARENA_TEST_SERVER"

func TestMain(m *testing.M) {
	process.Guard()
	if kind := os.Getenv(serverName); kind != "" {
		mcptest.Serve(kind)
		return
	}
	goleak.VerifyTestMain(m)
}
