package html_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/report/golden"
	"github.com/arena-evals/arena/internal/report/html"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

func TestSameRunSameBytes(t *testing.T) {
	t.Parallel()
	for _, f := range golden.Fixtures() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			if !bytes.Equal(write(t, f.Build()), write(t, f.Build())) {
				t.Error("two reports of the same run differ")
			}
		})
	}
}

func TestHostileTextStaysText(t *testing.T) {
	t.Parallel()
	run := resulttest.Hostile()
	page := string(write(t, run))
	if !utf8.ValidString(page) {
		t.Error("the page is not UTF-8")
	}
	for _, r := range strings.ReplaceAll(page, "\r\n", "\n") {
		if r != '\n' && r != '\u200d' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			t.Errorf("the page holds %U", r)
		}
	}
	blocks := len(block.FindAllString(page, -1))
	if got := strings.Count(page, "<script"); got != blocks+1 {
		t.Errorf("got %d script tags; want %d, the blocks and our own", got, blocks+1)
	}
	static := style.ReplaceAllString(script.ReplaceAllString(block.ReplaceAllString(page, ""), ""), "")
	for _, bad := range []string{"<!--", "<img", "</script", "]]>", "href=\"javascript:", "href=\"http"} {
		if strings.Contains(static, bad) {
			t.Errorf("the page holds %s", bad)
		}
	}
}

func TestPolicyNamesOurScriptAndStyle(t *testing.T) {
	t.Parallel()
	page := string(write(t, resulttest.AllPassed()))
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	want := "default-src 'none'; script-src " + hash(script.FindStringSubmatch(page)[1]) +
		"; style-src " + hash(style.FindStringSubmatch(page)[1]) +
		"; img-src data: blob:; media-src data: blob:; base-uri 'none'; form-action 'none'"
	got := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if got == nil || unescape(got[1]) != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCommandWithControlCharactersIsNotOffered(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	command := func(...*result.Brief) string { return "arena run\nrm -rf ~" }
	if err := html.Write(&b, resulttest.OneFailed(), html.Options{Rerun: command}); err != nil {
		t.Fatal(err)
	}
	for _, line := range lines(t, b.Bytes(), "trials-0") {
		if !strings.HasPrefix(line, "\"\"\t") {
			t.Errorf("a command is offered: %.60s", line)
		}
	}
}

func TestGroupsOfOneNameInTwoFiles(t *testing.T) {
	t.Parallel()
	first, second := resulttest.Flaky(), resulttest.Flaky()
	var trials []*result.Trial
	for _, trial := range append(first.Trials.(resulttest.Memory)[:5:5], second.Trials.(resulttest.Memory)[5:10]...) {
		trial.Provider = "mock"
		trials = append(trials, trial)
	}
	for _, trial := range trials[5:] {
		trial.Position.File = "other/status.yaml"
	}
	run := resulttest.NewRun("two", trials...)
	var index struct {
		Trials []struct{ Group int }
	}
	if err := json.Unmarshal(unpack(t, write(t, run), "index"), &index); err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, row := range index.Trials {
		got = append(got, row.Group)
	}
	if diff := cmp.Diff([]int{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, got); diff != "" {
		t.Errorf("groups of the trials (-want +got):\n%s", diff)
	}
}

func TestErrorsNameTheTrial(t *testing.T) {
	t.Parallel()
	for want, run := range map[string]*result.Run{
		"refund-happy-path/gpt-4o-mini/default":     resulttest.AllPassed(),
		"refund-outside-window/gpt-4o-mini/default": resulttest.OneFailed(), // failures are read first
	} {
		run.Trials = resulttest.Memory{}
		err := html.Write(io.Discard, run, html.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want the name of trial %s", err, want)
		}
	}
}

var errFull = errors.New("disk is full")

// fullDisk takes some bytes and no more.
type fullDisk struct{ left int }

func (d *fullDisk) Write(b []byte) (int, error) {
	if d.left -= len(b); d.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestWriteErrorsAreReported(t *testing.T) {
	t.Parallel()
	whole := len(write(t, resulttest.Big(500)))
	for left := range whole / 40_000 {
		if err := html.Write(&fullDisk{left * 40_000}, resulttest.Big(500), html.Options{}); !errors.Is(err, errFull) {
			t.Errorf("with room for %d bytes: got %v, want %v", left*40_000, err, errFull)
		}
	}
}

// watermark notes the most memory that is in use while a report is written.
type watermark struct{ written, looked, most uint64 }

func (m *watermark) Write(b []byte) (int, error) {
	m.written += uint64(len(b))
	if m.written-m.looked > 512<<10 {
		m.looked, m.most = m.written, max(m.most, inUse())
	}
	return len(b), nil
}

func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestTenThousandTrialsInLittleMemory(t *testing.T) { // not parallel: it measures the whole process
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const limit = 20 << 20
	run := resulttest.Big(10_000)
	before := inUse()
	var m watermark
	if err := html.Write(&m, run, html.Options{Rerun: rerun}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d KiB written, %d KiB of memory at most", m.written>>10, (max(m.most, before)-before)>>10)
	if m.most > before+limit {
		t.Errorf("writing took %d MiB, want at most %d", (m.most-before)>>20, limit>>20)
	}
}

func BenchmarkWrite(b *testing.B) {
	run := resulttest.Big(1000)
	for b.Loop() {
		if err := html.Write(io.Discard, run, html.Options{Rerun: rerun}); err != nil {
			b.Fatal(err)
		}
	}
}

func write(t *testing.T, run *result.Run) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := html.Write(&b, run, html.Options{Rerun: rerun}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var (
	block  = regexp.MustCompile(`<script type="application/octet-stream" id="([a-z0-9-]+)">([\w+/=]*)</script>\n`)
	script = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	style  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
)

func unescape(s string) string {
	return strings.NewReplacer("&#39;", "'", "&#43;", "+", "&#34;", `"`).Replace(s)
}

// unpack returns what a block of the page holds.
func unpack(t *testing.T, page []byte, id string) []byte {
	t.Helper()
	for _, m := range block.FindAllSubmatch(page, -1) {
		if string(m[1]) != id {
			continue
		}
		gz, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(m[2])))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(gz)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	t.Fatalf("the page has no block %s", id)
	return nil
}

func lines(t *testing.T, page []byte, id string) []string {
	t.Helper()
	return strings.Split(strings.TrimSuffix(string(unpack(t, page, id)), "\n"), "\n")
}
