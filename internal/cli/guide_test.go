package cli_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/hang"
)

// TestGuides runs the guides and the introductions to the files, each from top to bottom in a folder of its own. A
// block of a file is written, the commands of a block of sh are run, and a block of text behind it is their output. A
// line … in it stands for any lines. With -update the output is written; read the diff.
func TestGuides(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"../../docs/guide/*.md", "../filedoc/intro/*.md"} {
		pages, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatalf("%s: no pages: %v", pattern, err)
		}
		for _, page := range pages {
			file, err := filepath.Abs(page)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(filepath.Base(filepath.Dir(file))+"/"+strings.TrimSuffix(filepath.Base(file), ".md"), func(t *testing.T) {
				t.Parallel()
				runGuide(t, file)
			})
		}
	}
}

// guide is the run of one page.
type guide struct {
	*testing.T
	dir      string
	commands int
}

func runGuide(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	needed := neededPrograms.FindSubmatch(data)
	if needed != nil {
		mustHave(t, strings.Fields(string(needed[1]))...)
	}
	g := &guide{T: t, dir: t.TempDir()}
	lines := strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	var out []string
	printed, fresh := "", false // what the block of sh right before printed
	for i := 0; i < len(lines); i++ {
		out = append(out, lines[i])
		about, isFence := strings.CutPrefix(lines[i], "```")
		if !isFence {
			fresh = fresh && lines[i] == ""
			continue
		}
		end := i + 1
		for end < len(lines) && lines[end] != "```" {
			end++
		}
		if end == len(lines) {
			t.Fatalf("%s:%d: the block has no end", file, i+1)
		}
		body := lines[i+1 : end]
		switch at := fmt.Sprintf("%s:%d", filepath.Base(file), i+1); {
		case about == "text" && fresh:
			body = g.compare(at, body, printed)
			fresh = false
		case about == "sh":
			printed, fresh = g.run(at, body), true
			if strings.Contains(printed, "warning:") && !slices.Contains(lines[end+1:min(end+3, len(lines))], "```text") {
				t.Errorf("%s: the commands warn, and the page does not show it:\n%s", at, printed)
			}
		default:
			g.write(at, about, body)
			fresh = false
		}
		out = append(append(out, body...), lines[end])
		i = end
	}
	if text := strings.Join(out, "\n"); *update && text != string(data) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if g.commands == 0 {
		t.Errorf("%s has no commands", file)
	}
}

// neededPrograms are the programs that a page needs besides arena and a shell: a comment below its title names them.
var neededPrograms = regexp.MustCompile(`(?m)^<!-- needs: (.*) -->$`)

// mustHave skips a test where one of the programs is not installed.
func mustHave(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
}

var namedInside = regexp.MustCompile(`^# ([\w./-]+\.\w+|[\w.-]+/[\w./-]+|\.\w+)$`)

// write writes a block to the file that its first line or its fence names.
func (g *guide) write(at, about string, body []string) {
	g.Helper()
	_, name, _ := strings.Cut(about, " ")
	if len(body) > 0 && name == "" {
		first := body[0]
		if strings.HasPrefix(first, "#!") && len(body) > 1 {
			first = body[1]
		}
		if m := namedInside.FindStringSubmatch(first); m != nil {
			name = m[1]
		}
	}
	if name == "" || !filepath.IsLocal(name) {
		g.Fatalf("%s: a block that is neither a file nor commands: name the file in its first line, as # path", at)
	}
	path := filepath.Join(g.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		g.Fatal(err)
	}
	mode := os.FileMode(0o644)
	if strings.HasPrefix(body[0], "#!") {
		mode = 0o755
	}
	if err := os.WriteFile(path, []byte(strings.Join(body, "\n")+"\n"), mode); err != nil {
		g.Fatal(err)
	}
}

var wantedStatus = regexp.MustCompile(`#.*\bstatus (\d+)`)

// run runs commands, one a line, and returns their output. A comment may name the expected exit status.
func (g *guide) run(at string, commands []string) string {
	g.Helper()
	var out strings.Builder
	for _, command := range commands {
		if strings.TrimSpace(command) == "" || strings.HasPrefix(command, "#") {
			continue
		}
		want := 0
		if m := wantedStatus.FindStringSubmatch(command); m != nil {
			want, _ = strconv.Atoi(m[1]) // digits
		}
		g.commands++
		ctx, cancel := context.WithTimeout(g.Context(), hang.Guard)
		cmd := exec.CommandContext(ctx, "sh", "-c", command)
		cmd.Dir = g.dir
		cmd.Env = []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + g.dir, "SOURCE_DATE_EPOCH=" + epoch, "ARENA_JOBS=1",
			"GORACE=atexit_sleep_ms=0", "NO_COLOR=1", "GOCACHE=" + goCache(g.T),
		}
		printed, err := cmd.CombinedOutput()
		cancel()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			g.Fatal(err)
		}
		if got := cmd.ProcessState.ExitCode(); got != want {
			g.Errorf("%s: %q ends with status %d, want %d\n%s", at, command, got, want, printed)
		}
		out.Write(printed)
	}
	return out.String()
}

// goCache is the build cache of Go. Without it, each page with a Go program would compile everything again.
func goCache(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// compare compares output with a block, and returns the right block.
func (g *guide) compare(at string, want []string, printed string) []string {
	g.Helper()
	var got []string
	for line := range strings.Lines(printed) {
		got = append(got, strings.TrimRight(line, " \n"))
	}
	pattern := "(?s)^"
	for _, line := range want {
		if strings.TrimSpace(line) == "…" {
			pattern += "(.*\n)?"
			continue
		}
		pattern += regexp.QuoteMeta(line) + "\n"
	}
	if regexp.MustCompile(pattern + "$").MatchString(strings.Join(got, "\n") + "\n") {
		return want
	}
	if !*update {
		g.Errorf("%s: the commands print (-want +got):\n%s", at, cmp.Diff(strings.Join(want, "\n"), strings.Join(got, "\n")))
	}
	return got
}
