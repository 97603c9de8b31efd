package process

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// An owner is gone when its process is, and when its id belongs to another process by now. Of another machine nothing
// is known.
func TestOwner(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("nothing is known of processes there")
	}
	own := Owner()
	if IsGone(own) || IsGone("") || IsGone("else"+own) || IsGone(place()+"/1/0") || IsGone(place()+"/x/0") {
		t.Error("a process that runs, or of which nothing is known, is gone")
	}
	if runtime.GOOS == "linux" && !IsGone(own+"0") {
		t.Error("a process of another start runs")
	}
	ended := exec.Command(os.Args[0], "-test.run", "^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	if !IsGone(strings.Replace(own, "/"+strconv.Itoa(os.Getpid())+"/", "/"+strconv.Itoa(ended.Process.Pid)+"/", 1)) {
		t.Error("a process that has ended runs")
	}
}
