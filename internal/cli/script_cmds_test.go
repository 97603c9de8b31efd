package cli_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ohler55/ojg/jp"
	"github.com/ohler55/ojg/oj"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

type command = func(ts *testscript.TestScript, neg bool, args []string)

// commands are what scripts may call beside the commands of testscript.
func commands() map[string]command {
	return map[string]command{
		"exits":      exits,
		"stub":       cmdStub,
		"broker":     cmdBroker,
		"evaluators": cmdEvaluators,
		"gateway":    cmdGateway,
		"collector":  cmdCollector,
		"address":    cmdAddress,
		"scrape":     cmdScrape,
		"talkative":  cmdTalkative,
		"jsonpath":   jsonPath,
		"fits":       fits,
		"xmlvalid":   xmlValid,
		"absent":     absent,
		"prepend":    func(ts *testscript.TestScript, _ bool, args []string) { splice(ts, args, true) },
		"append":     func(ts *testscript.TestScript, _ bool, args []string) { splice(ts, args, false) },
		"chop":       chop,
		"behead":     behead,
		"edit":       edit,
		"grow":       grow,
		"cptree":     copyTree,
	}
}

// exits runs a command and expects an exit status:
//
//	exits 2 arena run nowhere.yaml
//
// In its output the work folder is $WORK and the address of the stub http://stub, those of evaluators http://rest and
// so on.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits status program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exited, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exited.ExitCode()
	} else {
		ts.Check(err)
	}
	scrub := strings.NewReplacer(append(append(evaluatorsOf(ts).addresses(), brokerOf(ts).address()...),
		ts.Getenv("WORK"), "$WORK", stubOf(ts).address(), "http://stub")...)
	stdout, stderr := scrub.Replace(ts.ReadFile("stdout")), scrub.Replace(ts.ReadFile("stderr"))
	_, _ = io.WriteString(ts.Stdout(), stdout) // a strings.Builder
	_, _ = io.WriteString(ts.Stderr(), stderr)
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// jsonPath expects what an expression finds in a file, as JSON; a text may stand without its quotes, and several
// matches are a list. Of a .jsonl file $ is the list of its lines.
//
//	jsonpath out/results.json $.status passed
//	! jsonpath out/results.json $.error
func jsonPath(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 && (!neg || len(args) != 2) {
		ts.Fatalf("usage: jsonpath file expression want, or ! jsonpath file expression")
	}
	text := ts.ReadFile(args[0])
	if strings.HasSuffix(args[0], ".jsonl") {
		text = "[" + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", ",") + "]"
	}
	data, err := oj.ParseString(text)
	ts.Check(err)
	path, err := jp.ParseString(args[1])
	ts.Check(err)
	found := path.Get(data)
	if neg {
		if len(found) > 0 {
			ts.Fatalf("%s: %s is there: %s", args[0], args[1], asJSON(ts, found))
		}
		return
	}
	var got any = found
	if len(found) == 1 {
		got = found[0]
	}
	if s, ok := got.(string); ok && s == args[2] {
		return
	}
	if shown := asJSON(ts, got); shown != args[2] {
		ts.Fatalf("%s: %s\n got %s\nwant %s", args[0], args[1], shown, args[2])
	}
}

func asJSON(ts *testscript.TestScript, v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	ts.Check(enc.Encode(v))
	return strings.TrimSuffix(b.String(), "\n")
}

// fits expects every line of a file to fit a JSON Schema:
//
//	fits schema.json events.jsonl
func fits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fits schema file")
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	c := jsonschema.NewCompiler()
	ts.Check(c.AddResource("schema.json", doc))
	schema, err := c.Compile("schema.json")
	ts.Check(err)
	lines := 0
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		lines++
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		ts.Check(err)
		if err := schema.Validate(doc); err != nil {
			ts.Fatalf("%s:%d: %v\n%s", args[1], lines, err, line)
		}
	}
	if lines == 0 {
		ts.Fatalf("%s is empty", args[1])
	}
}

// xmlValid expects files to be well-formed XML.
func xmlValid(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: xmlvalid file...")
	}
	for _, name := range args {
		dec := xml.NewDecoder(strings.NewReader(ts.ReadFile(name)))
		for {
			_, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				ts.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// absent expects that a text is nowhere: not in the last output, not in any file under the paths.
func absent(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: absent text path...")
	}
	secret := []byte(args[0])
	for _, stream := range []string{"stdout", "stderr"} {
		if strings.Contains(ts.ReadFile(stream), args[0]) {
			ts.Fatalf("%s holds %q", stream, args[0])
		}
	}
	for _, root := range args[1:] {
		ts.Check(filepath.WalkDir(ts.MkAbs(root), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			if err == nil && bytes.Contains(data, secret) {
				err = fmt.Errorf("%s holds %q", path, secret)
			}
			return err
		}))
	}
}

// splice adds bytes to a file, written as within quotes of Go: prepend a.yaml '\xef\xbb\xbf'.
func splice(ts *testscript.TestScript, args []string, before bool) {
	if len(args) != 2 {
		ts.Fatalf("usage: prepend|append file bytes")
	}
	extra, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	text := ts.ReadFile(args[0])
	if before {
		text = extra + text
	} else {
		text += extra
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// chop takes bytes away from the end of a file.
func chop(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: chop file bytes")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), int64(len(ts.ReadFile(args[0]))-n)))
}

// behead takes the first line of a file away.
func behead(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: behead file")
	}
	_, rest, _ := strings.Cut(ts.ReadFile(args[0]), "\n")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(rest), 0o600))
}

// edit replaces a text in a file, wherever it stands; it must be there.
//
//	edit file.json '"old"' '"new"'
func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit file old new")
	}
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s does not hold %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(text, args[1], args[2])), 0o600))
}

// grow appends a line to a file, again and again, until the file has so many bytes.
func grow(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: grow file bytes line")
	}
	size, err := strconv.Atoi(args[1])
	ts.Check(err)
	text := ts.ReadFile(args[0])
	text += strings.Repeat(args[2]+"\n", (size-len(text))/(len(args[2])+1)+1)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// copyTree copies a folder, without what runs have left in it.
func copyTree(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cptree from to")
	}
	to := ts.MkAbs(args[1])
	ts.Check(os.CopyFS(to, os.DirFS(ts.MkAbs(args[0]))))
	ts.Check(os.RemoveAll(filepath.Join(to, "out")))
}
