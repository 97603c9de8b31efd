//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// chanceModel answers by chance, and each trial always the same: by a hash of what it was asked and of the seed, which
// tells the number of the trial.
type chanceModel struct {
	countingModel

	told  sync.Mutex
	asked []string    // ids of trials, as they were asked for
	hold  atomic.Bool // what comes after the moment that is waited for is not answered
}

const chanceSeed = 1000

// rates are the shares of a hundred that pass, of scenario g0 and so on.
var rates = []int{100, 97, 90, 80, 70, 50, 20, 0}

func (m *chanceModel) answer(body []byte) string {
	var request struct {
		Seed     int
		Messages []struct{ Content string }
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return "I cannot read that."
	}
	scenario := request.Messages[len(request.Messages)-1].Content
	id := fmt.Sprintf("%s/model/default#%d", scenario, request.Seed-chanceSeed+1)
	m.told.Lock()
	m.asked = append(m.asked, id)
	m.told.Unlock()
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // never an error
	which, _ := strconv.Atoi(strings.TrimPrefix(scenario, "g"))
	if rand.New(rand.NewPCG(h.Sum64(), 0)).IntN(100) < rates[which%len(rates)] { //nolint:gosec // always the same
		return "Hello."
	}
	return "No."
}

func (m *chanceModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if m.hold.Load() {
		body, err := io.ReadAll(r.Body) // before that nobody sees that whoever asked is gone
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		select {
		case <-m.due(): // nothing is answered any more
			<-r.Context().Done()
			return
		default:
		}
	}
	m.countingModel.ServeHTTP(w, r)
}

// taken are the trials that were asked for since it was called last.
func (m *chanceModel) taken() []string {
	m.told.Lock()
	defer m.told.Unlock()
	all := m.asked
	m.asked = nil
	return all
}

func gatesProject(t *testing.T, url string, scenarios int) string {
	t.Helper()
	dir, list, text := t.TempDir(), "", ""
	for i := range scenarios {
		id := "g" + strconv.Itoa(i)
		list += "{file: " + id + ".yaml}, "
		text += "-- " + id + ".yaml --\nid: " + id + "\ntrials: {pass_rate: 0.8, max: 50}\n" +
			"turns: [{role: user, content: " + id + ", assertions: [{type: contains, params: {patterns: [hello]}}]}]\n"
	}
	writeProject(t, dir, "name: gates\nprovider_specs: {model: {type: openai-compatible, model: m, base_url: "+url+"/v1}}\n"+
		"scenarios: ["+list+"]\n"+text)
	return dir
}

// TestTortureOfGates kills runs within their gates and resumes them, and interrupts them and resumes them: the verdicts,
// bars and trials are those of a run that nobody disturbed, and no number that had finished is paid for again. What an
// interrupt leaves open is undecided.
func TestTortureOfGates(t *testing.T) {
	t.Parallel()
	stops, scenarios := 4, len(rates)
	if n, err := strconv.Atoi(os.Getenv(tortureKills)); err == nil {
		stops, scenarios = n, 25*len(rates)
	}
	model := &chanceModel{}
	model.reply = model.answer
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)
	dir := gatesProject(t, server.URL, scenarios)
	run := func(out string, more ...string) *exec.Cmd {
		return torturedRun(t, dir, out, append([]string{"--seed", strconv.Itoa(chanceSeed)}, more...)...)
	}
	ends := func(cmd *exec.Cmd) {
		t.Helper()
		text, err := cmd.CombinedOutput()
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	model.begin(0)
	ends(run("whole"))
	need, once := model.spent(), model.taken()
	if slices.Sort(once); len(slices.Compact(slices.Clone(once))) != need {
		t.Fatalf("an undisturbed run asked twice for a trial: %q", once)
	}
	want, verdicts := outcomes(t, filepath.Join(dir, "whole")), gateVerdicts(t, filepath.Join(dir, "whole"))
	random := rand.New(rand.NewPCG(5, 6)) //nolint:gosec // the same moments in every run
	for i := range stops {
		out, how := "out"+strconv.Itoa(i), syscall.SIGKILL
		if i%2 == 1 {
			how = syscall.SIGINT
		}
		model.hold.Store(how == syscall.SIGINT)
		model.begin(1 + random.IntN(need-1))
		if how == syscall.SIGINT {
			interruptAt(t, model, run(out))
			openGates(t, filepath.Join(dir, out))
		} else {
			killAt(t, &model.countingModel, run(out))
		}
		model.taken()
		done := finished(t, filepath.Join(dir, out))
		spent := model.spent()
		model.hold.Store(false)
		model.again(0)
		ends(torturedRun(t, dir, out, "--resume"))
		notTwice(t, how, done, model.taken())
		if again := model.spent() - spent - (need - len(done)); again < 0 || again > tortureJobs {
			t.Errorf("%s: %d trials more were asked for than had not finished", how, again)
		}
		if diff := cmp.Diff(verdicts, gateVerdicts(t, filepath.Join(dir, out))); diff != "" {
			t.Fatalf("%s: the verdicts differ (-undisturbed +resumed):\n%s", how, diff)
		}
		if diff := cmp.Diff(want, outcomes(t, filepath.Join(dir, out))); diff != "" {
			t.Fatalf("%s: the trials differ (-undisturbed +resumed):\n%s", how, diff)
		}
	}
}

// interruptAt starts a run and interrupts it, as Ctrl-C does, when the model has seen so many requests.
func interruptAt(t *testing.T, model *chanceModel, cmd *exec.Cmd) {
	t.Helper()
	due := model.due()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		t.Fatalf("the run ended by itself: %v", err)
	case <-due:
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if exit, ok := errors.AsType[*exec.ExitError](<-ended); !ok || exit.ExitCode() != 130 {
			t.Errorf("an interrupted run ended with %v, want 130", exit)
		}
	}
}

type gateVerdict struct {
	Scenario, Status string
	Gate             struct {
		Verdict, Reason, Bar           string
		Counted, Passed, Failed, Saved int
		Low, High                      float64
	}
}

func gateVerdicts(t *testing.T, dir string) []gateVerdict {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	var results struct{ Groups []gateVerdict }
	if err := json.Unmarshal(text, &results); err != nil {
		t.Fatal(err)
	}
	return results.Groups
}

// openGates reports a gate that was stopped before it came to a verdict and that is anything but undecided, with a bar
// for any end. One of which nothing counts was not run.
func openGates(t *testing.T, dir string) {
	t.Helper()
	open := 0
	for _, g := range gateVerdicts(t, dir) {
		if g.Gate.Reason != "stopped" {
			continue
		}
		open++
		as := "undecided"
		if g.Gate.Counted == 0 {
			as = "cancelled"
		}
		if g.Status != as || g.Gate.Verdict != as || g.Gate.Bar != "repeated" {
			t.Errorf("%s was stopped, and is %s: %+v", g.Scenario, g.Status, g.Gate)
		}
	}
	if open == 0 {
		t.Error("no gate was open when the run was interrupted")
	}
}
