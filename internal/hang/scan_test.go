package hang_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// least is the minimum time limit of a test that waits for an event.
const least = 10 * time.Minute

// mark is in the line of a limit that must be reached, because nothing else can happen, or in the comment above it.
const mark = "is meant to pass"

// TestNoLimitInSeconds reads all tests, their helpers and their scripts: none may give up, sleep or compare times
// within what a slow or busy machine may take. In the bubbles of testing/synctest, which have their own time, any limit
// is allowed.
func TestNoLimitInSeconds(t *testing.T) {
	t.Parallel()
	seen := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		var problems []string
		switch {
		case strings.HasSuffix(path, "_test.go"), strings.HasSuffix(path, ".go") && strings.HasSuffix(filepath.Dir(path), "test"):
			var code []byte
			if code, err = os.ReadFile(path); err == nil {
				problems, err = inCode(path, string(code))
			}
		case strings.HasSuffix(path, ".txtar"):
			problems, err = inScript(path)
		default:
			return nil
		}
		seen++
		for _, p := range problems {
			t.Error(p)
		}
		return err
	})
	if err != nil || seen < 200 {
		t.Errorf("%d files: %v", seen, err)
	}
}

// waits are functions that return after a time.
var waits = map[string]bool{
	"context.WithTimeout": true, "context.WithTimeoutCause": true, "context.WithDeadline": true,
	"context.WithDeadlineCause": true, "time.After": true, "time.AfterFunc": true, "time.NewTimer": true,
	"time.Sleep": true,
}

// limit matches names of fields with a time limit.
var limit = regexp.MustCompile(`(?i)timeout$|patience$|limit$|^ttl$|deadline$|^flush$|^grace$`)

// inCode finds the limits in a file of Go.
func inCode(path, code string) (problems []string, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, code, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	marked := map[int]bool{}
	for i, line := range strings.Split(code, "\n") {
		if strings.Contains(line, mark) {
			marked[i+1] = true
			marked[i+2] = marked[i+2] || strings.HasPrefix(strings.TrimSpace(line), "//")
		}
	}
	report := func(at token.Pos, format string, args ...any) {
		if p := files.Position(at); !marked[p.Line] {
			problems = append(problems, fmt.Sprintf("%s:%d: %s", path, p.Line, fmt.Sprintf(format, args...)))
		}
	}
	check := func(e ast.Expr, what string) {
		if d, ok := span(e); ok && d < least {
			report(e.Pos(), "%s is limited to %s: wait for an event, or as long as hang.Guard; a limit that %s says so",
				what, d, mark)
		}
	}
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil && (virtual(fn.Body) || strings.HasPrefix(fn.Name.Name, "Benchmark")) {
			continue
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				name := dotted(n.Fun)
				for _, arg := range n.Args {
					if waits[name] {
						check(arg, name)
					}
				}
				if name == "time.Sleep" {
					report(n.Pos(), "it sleeps: wait for an event")
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && limit.MatchString(key.Name) {
					check(n.Value, key.Name)
				}
			case *ast.AssignStmt:
				for i, left := range n.Lhs {
					if name := dotted(left); i < len(n.Rhs) && limit.MatchString(name[strings.LastIndexByte(name, '.')+1:]) {
						check(n.Rhs[i], name)
					}
				}
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if i < len(n.Values) && limit.MatchString(name.Name) {
						check(n.Values[i], name.Name)
					}
				}
			case *ast.BinaryExpr:
				if compares(n.Op) && (elapsed(n.X) || elapsed(n.Y)) {
					report(n.Pos(), "it compares how long something took")
				}
			case *ast.IfStmt:
				if s, ok := n.Init.(*ast.AssignStmt); ok && len(s.Rhs) == 1 && elapsed(s.Rhs[0]) {
					report(n.Pos(), "it compares how long something took")
				}
			}
			return true
		})
	}
	return problems, nil
}

// virtual reports whether time does not pass by itself in a function.
func virtual(body ast.Node) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		found = found || ok && dotted(call.Fun) == "synctest.Test"
		return !found
	})
	return found
}

func compares(op token.Token) bool {
	return slices.Contains([]token.Token{token.LSS, token.GTR, token.LEQ, token.GEQ, token.EQL, token.NEQ}, op)
}

// elapsed reports whether an expression is a time that has passed.
func elapsed(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	return ok && dotted(call.Fun) == "time.Since"
}

// dotted is a name such as time.After; "" for other expressions.
func dotted(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if x := dotted(e.X); x != "" {
			return x + "." + e.Sel.Name
		}
	}
	return ""
}

var units = map[string]time.Duration{
	"time.Nanosecond": time.Nanosecond, "time.Microsecond": time.Microsecond, "time.Millisecond": time.Millisecond,
	"time.Second": time.Second, "time.Minute": time.Minute, "time.Hour": time.Hour, "hang.Guard": least,
}

// span is the duration of an expression, or the one that it adds.
func span(e ast.Expr) (time.Duration, bool) {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		d, ok := units[dotted(e)]
		return d, ok
	case *ast.BasicLit:
		if n, err := strconv.ParseInt(e.Value, 0, 64); err == nil {
			return time.Duration(n), false
		}
	case *ast.ParenExpr:
		return span(e.X)
	case *ast.CallExpr: // time.Now().Add(d)
		if s, ok := e.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Add" && len(e.Args) == 1 {
			return span(e.Args[0])
		}
	case *ast.BinaryExpr:
		x, timeX := span(e.X)
		y, timeY := span(e.Y)
		switch {
		case e.Op == token.MUL && timeX != timeY:
			return time.Duration(int64(x) * int64(y)), true // one of them is a plain number
		case e.Op == token.QUO && timeX && y != 0:
			return x / y, true
		}
	}
	return 0, false
}

var (
	flag    = regexp.MustCompile(`--([\w-]*(?:timeout|wait|ttl)) '?(\S+?)'?(?:\s|$)`)
	setting = regexp.MustCompile(`\b(\w*timeout(?:_ms|_seconds)?)"?: *"?([\w.]+)`)
)

// inScript finds the limits in a script and in its files. Refused arguments and printed texts do not count.
func inScript(path string) (problems []string, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	archive := txtar.Parse(data)
	find := func(where, text string, limits *regexp.Regexp) {
		above := ""
		for i, line := range strings.Split(text, "\n") {
			for _, m := range limits.FindAllStringSubmatch(line, -1) {
				if d, ok := written(m[1], m[2]); ok && d < least && !strings.Contains(line+above, mark) {
					problems = append(problems, fmt.Sprintf("%s:%s:%d: %s is %s: it may be as long as it likes, unless it %s "+
						"(say so in the line or above it)", path, where, i+1, m[1], d, mark))
				}
			}
			above = line
		}
	}
	var commands []string
	for line := range strings.Lines(string(archive.Comment)) {
		if strings.HasPrefix(line, "exits 2 ") || !strings.Contains(line, "arena ") && !strings.HasPrefix(line, "#") {
			line = "\n"
		}
		commands = append(commands, strings.TrimSuffix(line, "\n"))
	}
	if strings.Contains(string(archive.Comment), "exec ") || strings.Contains(string(archive.Comment), "exits ") {
		find("", strings.Join(commands, "\n"), flag)
		for _, f := range archive.Files {
			if slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(f.Name)) {
				find(f.Name, string(f.Data), setting)
			}
		}
	}
	return problems, nil
}

// written is the time that a setting means.
func written(name, value string) (time.Duration, bool) {
	switch {
	case strings.HasSuffix(name, "_ms"):
		value += "ms"
	case strings.HasSuffix(name, "_seconds"):
		value += "s"
	}
	d, err := time.ParseDuration(value)
	return d, err == nil && d > 0
}

func TestScanFinds(t *testing.T) {
	t.Parallel()
	const code = `package p
func a() {
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	<-time.After(limit)
	<-time.After(time.Minute) // is meant to pass
	time.Sleep(n)
	o := Options{Patience: 300 * time.Millisecond, Retry: time.Second}
	o.RequestTimeout = hang.Guard / 2
	if took := time.Since(began); took > o.Limit {
	}
	_ = time.Since(began) < limit
	for until := time.Now().Add(hang.Guard); ; {
	}
	deadline := time.Now().Add(time.Minute)
}
func b() { synctest.Test(t, func(t *testing.T) { time.Sleep(time.Second) }) }
`
	problems, err := inCode("x_test.go", code)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, p := range problems {
		lines = append(lines, strings.Split(p, ":")[1])
	}
	if diff := cmp.Diff([]string{"3", "6", "7", "8", "9", "11", "14"}, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	script := filepath.Join(t.TempDir(), "x.txtar")
	const text = `exits 0 arena run --timeout 90s
# This one is meant to pass.
exits 3 arena run --timeout 90ms
exits 2 arena run --timeout 90ms
-- a.yaml --
request_timeout: 5m
timeout_ms: 20
timeout: 20m
timeout: 20ms # is meant to pass
`
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if problems, err = inScript(script); err != nil || len(problems) != 3 {
		t.Errorf("%v %v", problems, err)
	}
}
