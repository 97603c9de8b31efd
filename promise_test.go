package arena_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena"
)

// The promises of gates are held here from end to end: simulated agents of a known rate, planned, run and folded. By
// default with few groups; with as many as it takes to see errors of 5%, in half an hour, by
//
//	ARENA_PROMISE=1 go test . -run Promise -timeout 60m -v

// promise is how many groups a simulation has, with which seeds.
type promise struct {
	groups int
	seeds  []int64
	full   bool
}

func promised() promise {
	if os.Getenv("ARENA_PROMISE") != "" {
		return promise{2000, []int64{100_000, 200_000, 300_000, 400_000, 500_000}, true}
	}
	return promise{60, []int64{100_000}, false}
}

func (p promise) regions() []string {
	names := make([]string, p.groups)
	for i := range names {
		names[i] = fmt.Sprintf("r%d", i+1)
	}
	return names
}

// agent is a scenario with a gate of .8 and 50, about an agent that is right with a chance. The rest of its replies are
// the others, with their chances.
func agent(chance string, others ...string) map[string][]byte {
	replies := `{chance: ` + chance + `, content: "Yes, 30 days.", latency_ms: 1}`
	for _, other := range others {
		replies += ", " + other
	}
	return map[string][]byte{"agent.yaml": []byte(`id: agent
trials: {pass_rate: 0.8, max: 50}
turns:
  - role: user
    content: May I return it?
    mock: {one_of: [` + replies + `]}
    assertions: [{type: contains, params: {patterns: [30 days]}}]
`)}
}

// outcomes are what the groups of runs came to.
type outcomes struct {
	groups, passed, failed, undecided, broken int
	counted, replaced                         int
}

func (o *outcomes) add(res *arena.Result) {
	for i := range res.Groups {
		g := &res.Groups[i]
		o.groups++
		o.counted += g.Trials
		o.replaced += g.Gate.Replaced
		switch g.Status {
		case arena.Passed:
			o.passed++
		case arena.Failed:
			o.failed++
		case arena.Undecided:
			o.undecided++
		default:
			o.broken++
		}
	}
}

func (o *outcomes) mean() float64 { return float64(o.counted) / float64(o.groups) }

// told is what must not depend on how many trials run at once.
func told(res *arena.Result) []string {
	var all []string
	for i := range res.Groups {
		g := &res.Groups[i]
		all = append(all, fmt.Sprintf("%s %s %d %d %v %v %s", g.Region, g.Status, g.Trials, g.Passed, g.Low, g.High, g))
	}
	for i := range res.Trials {
		all = append(all, res.Trials[i].ID+" "+string(res.Trials[i].Status))
	}
	slices.Sort(all[len(res.Groups):])
	return all
}

func simulate(t *testing.T, p promise, files map[string][]byte, change func(*arena.Options)) (sum outcomes) {
	t.Helper()
	for _, seed := range p.seeds {
		o := arena.Options{
			Files: files, Mock: true, Regions: p.regions(), Seed: &seed, Jobs: 8, Retries: new(0),
		}
		if change != nil {
			change(&o)
		}
		res, err := arena.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Groups) != p.groups {
			t.Fatalf("%d groups, want %d", len(res.Groups), p.groups)
		}
		sum.add(res)
	}
	return sum
}

// atMost is the number of groups of so many that exceeds a share only once in many thousand simulations.
func atMost(share float64, groups int) int {
	mean := share * float64(groups)
	return int(math.Ceil(mean + 4*math.Sqrt(mean*(1-share)) + 1))
}

// TestPromise: wrong verdicts are as rare as is promised, and verdicts take as few trials.
func TestPromise(t *testing.T) {
	t.Parallel()
	p := promised()
	slow := `{chance: %s, content: "No.", latency_ms: 4}`
	for _, c := range []struct {
		name, chance, rest     string
		passed, failed         [2]float64 // shares of groups, at least and at most
		mean, off              float64    // trials a group
		passedAtMost, failedAt int        // of 10,000
	}{
		{"on the line", "0.8", "0.2", [2]float64{0, 0.05}, [2]float64{0, 0.05}, 39.8, 0.6, 565, 565},
		{"good", "0.95", "0.05", [2]float64{0.9, 1}, [2]float64{0, 0.01}, 28.2, 0.5, 10_000, 565},
		{"bad", "0.5", "0.5", [2]float64{0, 0.01}, [2]float64{0.98, 1}, 13.8, 0.4, 565, 10_000},
		{"perfect", "0.9999999", "0.0000001", [2]float64{1, 1}, [2]float64{0, 0}, 18, 0, 10_000, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := simulate(t, p, agent(c.chance, fmt.Sprintf(slow, c.rest)), nil)
			t.Logf("%d groups: %d passed, %d failed, %d undecided, %.2f trials", o.groups, o.passed, o.failed, o.undecided,
				o.mean())
			if o.broken > 0 {
				t.Errorf("%d groups broke", o.broken)
			}
			within := func(what string, n int, share [2]float64, most int) {
				least := o.groups - atMost(1-share[0], o.groups)
				if p.full {
					least = int(share[0] * float64(o.groups))
				} else {
					most = atMost(share[1], o.groups)
				}
				if share[0] == 0 {
					least = 0
				}
				if n < least || n > most {
					t.Errorf("%d of %d groups %s, want %d to %d", n, o.groups, what, least, most)
				}
			}
			within("passed", o.passed, c.passed, c.passedAtMost)
			within("failed", o.failed, c.failed, c.failedAt)
			off := c.off
			if !p.full && off > 0 {
				off = 4 * 17 / math.Sqrt(float64(o.groups)) // trials of a group spread by at most 17
			}
			if math.Abs(o.mean()-c.mean) > off+1e-9 {
				t.Errorf("%.2f trials a group, want %v ± %.2f", o.mean(), c.mean, off)
			}
		})
	}
}

// TestPromiseAtAnySpeed: verdicts, bars and trials are the same at any number of jobs, though failures take longer, and
// when they are replayed.
func TestPromiseAtAnySpeed(t *testing.T) {
	t.Parallel()
	p := promised()
	if !p.full {
		p.groups = 20
	}
	files := agent("0.8", `{chance: 0.2, content: "No.", latency_ms: 4}`)
	recording := t.TempDir()
	var want []string
	jobs := func(n int) func(*arena.Options) { return func(o *arena.Options) { o.Jobs = n } }
	ways := []func(*arena.Options){jobs(1), jobs(8), jobs(64)}
	if !p.full { // a folder for each of 80,000 trials says no more
		ways = append(ways, func(o *arena.Options) { o.Record = recording },
			func(o *arena.Options) { o.Mock, o.Replay = false, recording })
	}
	for i, way := range ways {
		seed := p.seeds[0]
		o := arena.Options{Files: files, Mock: true, Regions: p.regions(), Seed: &seed, Jobs: 16}
		way(&o)
		res, err := arena.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want = told(res)
		}
		if diff := cmp.Diff(want, told(res)); diff != "" {
			t.Errorf("way %d (-first +this):\n%s", i, diff)
		}
	}
}

// TestPromiseWithBrokenTrials: trials that break help no verdict, and those that a provider refuses are replaced.
func TestPromiseWithBrokenTrials(t *testing.T) {
	t.Parallel()
	p := promised()
	o := simulate(t, p, agent("0.8", `{chance: 0.1, content: "No."}`,
		`{chance: 0.1, error: too slow, error_kind: timeout}`), nil)
	t.Logf("half of the bad replies time out: %d of %d passed, %d failed, %d undecided, %d errors", o.passed, o.groups,
		o.failed, o.undecided, o.broken)
	if most := limit(p, 0.05, 565); o.passed > most {
		t.Errorf("%d of %d groups passed, want at most %d", o.passed, o.groups, most)
	}
	plain := simulate(t, p, agent("0.95", `{chance: 0.05, content: "No."}`), nil)
	refused := simulate(t, p, agent("0.9025", `{chance: 0.0475, content: "No."}`,
		`{chance: 0.05, error: come back later, error_kind: rate_limit}`), nil)
	t.Logf("one in twenty is refused: %d of %d passed, %d without; %d replaced of %d", refused.passed, refused.groups,
		plain.passed, refused.replaced, refused.counted+refused.replaced)
	share := float64(refused.replaced) / float64(refused.counted+refused.replaced)
	if share < 0.03 || share > 0.07 {
		t.Errorf("%.1f%% of the trials were replaced, want about 5%%", 100*share)
	}
	spread := 4 * math.Sqrt(2*float64(plain.groups)*0.1)
	if math.Abs(float64(refused.passed-plain.passed)) > spread {
		t.Errorf("%d groups passed, and %d where trials were refused", plain.passed, refused.passed)
	}
	if never := simulate(t, promise{10, p.seeds[:1], false},
		agent("0.5", `{chance: 0.5, error: too slow, error_kind: timeout}`), nil); never.passed > 0 {
		t.Errorf("%d groups of which half of the trials broke passed", never.passed)
	}
}

func limit(p promise, share float64, full int) int {
	if p.full {
		return full
	}
	return atMost(share, p.groups*len(p.seeds))
}

// mix are the rates of a suite as one meets it.
var mix = []struct {
	rate string
	rest string
	of   int // of 100
}{
	{"1", "", 35}, {"0.99", "0.01", 15}, {"0.97", "0.03", 10}, {"0.95", "0.05", 10}, {"0.9", "0.1", 10}, {"0.8", "0.2", 6},
	{"0.7", "0.3", 5}, {"0.5", "0.5", 5}, {"0.2", "0.8", 2}, {"0", "", 2},
}

// TestPromiseOfBudget: of a hundred scenarios, a limit of 1,500 trials decides more than in the order of the plan, the
// same ones at any number of jobs.
func TestPromiseOfBudget(t *testing.T) {
	t.Parallel()
	seeds := 2
	if promised().full {
		seeds = 20
	}
	files, right := map[string][]byte{}, map[string]arena.Status{}
	for _, m := range mix {
		for range m.of {
			id := fmt.Sprintf("s%03d", len(files))
			mock := `{one_of: [{chance: ` + m.rate + `, content: "Yes, 30 days."}, {chance: ` + m.rest +
				`, content: "No."}]}`
			switch m.rate {
			case "1":
				mock = `"Yes, 30 days."`
			case "0":
				mock = `"No."`
			}
			right[id] = arena.Passed
			if strings.Compare(m.rate, "0.8") < 0 {
				right[id] = arena.Failed
			}
			files[id+".yaml"] = []byte("id: " + id + "\ntrials: {pass_rate: 0.8, max: 50}\nturns:\n  - role: user\n" +
				"    content: May I return it?\n    mock: " + mock + "\n" +
				"    assertions: [{type: contains, params: {patterns: [30 days]}}]\n")
		}
	}
	decide := func(seed int64, jobs int) *arena.Result {
		res, err := arena.Run(context.WithoutCancel(t.Context()), arena.Options{
			Files: files, Mock: true, Seed: &seed, Jobs: jobs, MaxTrials: 1500,
		})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	rights, wrongs := 0, 0
	for i := range seeds {
		seed := int64(i+1) * 10_000
		res := decide(seed, 64)
		for k := range res.Groups {
			switch g := &res.Groups[k]; g.Status {
			case right[g.Scenario]:
				rights++
			case arena.Passed, arena.Failed:
				wrongs++
			}
		}
		if i > 1 {
			continue
		}
		if diff := cmp.Diff(told(decide(seed, 1)), told(res)); diff != "" {
			t.Errorf("seed %d (-one job +64):\n%s", seed, diff)
		}
	}
	mean := float64(rights) / float64(seeds)
	t.Logf("%.2f right verdicts of 100 by 1,500 trials, %.2f wrong, over %d seeds", mean, float64(wrongs)/float64(seeds),
		seeds)
	if least := 66.0; mean < least {
		t.Errorf("%.2f right verdicts, want at least %v", mean, least)
	}
}
