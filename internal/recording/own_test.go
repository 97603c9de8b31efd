package recording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/report/golden"
	"github.com/arena-evals/arena/internal/report/jsonout"
	"github.com/arena-evals/arena/internal/report/otlp"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

// TestOwnFiles reads back the results.json and the journal that arena writes for every fixture.
func TestOwnFiles(t *testing.T) {
	t.Parallel()
	for _, fixture := range golden.Fixtures() {
		t.Run(fixture.Name, func(t *testing.T) {
			t.Parallel()
			run := fixture.Build()
			var results bytes.Buffer
			if err := jsonout.Write(&results, run); err != nil {
				t.Fatal(err)
			}
			if fixture.Name == "hostile" { // agents do not produce such conversations
				_, err := open(results.Bytes(), Options{})
				contains(t, err, `the tool result "unasked" belongs to no call`, `unknown role "narrator"`)
				return
			}
			sameTrials(t, run, FormatResults, results.Bytes())
			sameTrials(t, run, FormatJournal, journal(t, run))
		})
	}
}

func sameTrials(t *testing.T, run *result.Run, format Format, text []byte) {
	t.Helper()
	f, err := open(text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f.Format() != format {
		t.Errorf("read as %s, want %s", f.Format(), format)
	}
	next := 0
	for i := range run.Briefs.Len() {
		trial, err := run.Trials.Trial(i)
		if err != nil {
			t.Fatal(err)
		}
		want := messagesOf(trial)
		if len(want) == 0 {
			continue
		}
		s, err := f.Load(next)
		if err != nil {
			t.Fatal(err)
		}
		next++
		if s.ID != asJSON(t, trial.ID) || s.Scenario != asJSON(t, trial.Scenario) ||
			s.Provider != asJSON(t, trial.Provider) || s.Model != asJSON(t, trial.Model) {
			t.Errorf("trial %s is session %+v", trial.ID, s)
		}
		if diff := cmp.Diff(valid(t, want), valid(t, chatOf(s))); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", format, trial.ID, diff)
		}
		if got, want := len(s.Verdicts), len(trial.Conversation); got < want {
			t.Errorf("%s: %d verdicts on the conversation, want %d", trial.ID, got, want)
		}
	}
	if got := len(f.Sessions()); got != next {
		t.Errorf("%d sessions, want %d", got, next)
	}
}

// asJSON returns a text as JSON keeps it: invalid UTF-8 is replaced.
func asJSON(t *testing.T, text string) (kept string) {
	t.Helper()
	data, err := json.Marshal(text)
	if err == nil {
		err = json.Unmarshal(data, &kept)
	}
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

// messagesOf is the transcript of a trial, with the system prompt first.
func messagesOf(t *result.Trial) (list []chat.Message) {
	for i := range t.Turns {
		list = append(list, t.Turns[i].Messages...)
	}
	if len(list) > 0 && t.System != "" {
		list = append([]chat.Message{{Role: chat.System, Content: t.System}}, list...)
	}
	return list
}

func chatOf(s *Session) (list []chat.Message) {
	for _, m := range s.Messages {
		list = append(list, m.Message)
	}
	return list
}

// valid returns messages as JSON keeps them: invalid UTF-8 is replaced.
func valid(t *testing.T, list []chat.Message) string {
	t.Helper()
	var out bytes.Buffer
	show(t, &out, list)
	return out.String()
}

// journal writes a run as its journal.
func journal(t *testing.T, run *result.Run) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}()
	j, err := result.NewJournal(file, result.JournalHeader{Arena: "test", Started: run.Started, Planned: run.Planned})
	if err != nil {
		t.Fatal(err)
	}
	for i := range run.Briefs.Len() {
		trial, err := run.Trials.Trial(i)
		if err != nil {
			t.Fatal(err)
		}
		trial.Index = i
		line, err := result.EncodeLine(trial)
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Append([]result.TrialDone{{Trial: trial, Line: line}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(result.JournalFooter{}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestJournalOfAKilledRun: half a line at the end is not a trial, and is noted.
func TestJournalOfAKilledRun(t *testing.T) {
	t.Parallel()
	whole := journal(t, golden.Fixtures()[0].Build())
	f, err := open(whole[:len(whole)*3/4], Options{})
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(f.Notes(), "\n")
	if !strings.Contains(notes, "is cut") || !strings.Contains(notes, "did not end by itself: 1 of 4 trials") {
		t.Errorf("%d sessions, notes:\n%s", len(f.Sessions()), notes)
	}
}

// TestJournalOfAResumedRun: trials that the resumed run completed are no longer missing.
func TestJournalOfAResumedRun(t *testing.T) {
	t.Parallel()
	const end = `{"end":{"duration_ms":3,"interrupted":true}}` + "\n"
	header := func(kept string) string { return `{"journal":1,"arena":"x","planned":2` + kept + "}\n" }
	played := func(i int) string {
		return fmt.Sprintf(`{"index":%d,"trial":{"id":"a%d/b/c","status":"passed","turns":[{"index":0,"user":"Hi",`+
			`"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]}]}}`+"\n", i, i)
	}
	waiting := func(i int) string {
		return fmt.Sprintf(`{"index":%d,"trial":{"id":"a%d/b/c","status":"cancelled","turns":[]}}`+"\n", i, i)
	}
	first := header("")
	keep := fmt.Sprintf(`,"kept":[[0,%d]]`, len(first))
	both := fmt.Sprintf(`,"kept":[[0,%d],[1,%d]]`, len(first), len(first)+len(played(0)))
	stopped := first + played(0) + waiting(1) + end
	for name, c := range map[string]struct {
		text              string
		sessions, missing int
	}{
		"stopped":             {stopped, 1, 1},
		"completed":           {stopped + header(keep) + played(1) + end, 2, 0},
		"stopped again":       {stopped + header(keep) + waiting(1) + end, 1, 1},
		"stopped, then whole": {stopped + header(keep) + waiting(1) + end + header(keep) + played(1) + end, 2, 0},
		"killed again":        {stopped + header(keep), 1, 1},
		"kept as it was":      {stopped + header(both) + end, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := open([]byte(c.text), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(f.Sessions()) != c.sessions || f.Missing() != c.missing {
				t.Errorf("%d sessions and %d missing, want %d and %d", len(f.Sessions()), f.Missing(), c.sessions, c.missing)
			}
		})
	}
}

// TestStoppedTrial: a conversation that was stopped is not complete.
func TestStoppedTrial(t *testing.T) {
	t.Parallel()
	text := `{"schema_version": 1, "planned": 1, "summary": {"trials": 1}, "runs": [{"id": "a/b/c", "status": "cancelled",
"turns": [{"index": 0, "user": "Hi", "messages": [{"role": "user", "content": "Hi"},
{"role": "assistant", "content": "Hello"}]}]}]}`
	f, err := open([]byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := f.Load(0); err != nil || s.Error != "the run was stopped" {
		t.Errorf("%+v %v", s, err)
	}
}

// TestBrokenOff: a reply whose call failed midway is not complete, wherever it is.
func TestBrokenOff(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"messages": `{"messages": [{"role": "user", "content": "Hi"},
			{"role": "assistant", "content": "Hel", "finish_reason": "error"}]}`,
		"a request and its response": `{"request": {"messages": [{"role": "user", "content": "Hi"}]}, "response": {"choices": [
			{"message": {"role": "assistant", "content": "Hel"}, "finish_reason": "ERROR"}]}}`,
	} {
		f, err := open([]byte(text), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if s, err := f.Load(0); err != nil || !strings.Contains(s.Error, "a reply ended with finish reason") {
			t.Errorf("%s: %+v %v", name, s, err)
		}
	}
}

// TestOwnTraces reads the traces that arena sends to a collector.
func TestOwnTraces(t *testing.T) {
	t.Parallel()
	var sent bytes.Buffer
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, err := sent.ReadFrom(r.Body); err != nil {
			t.Error(err)
		}
		sent.WriteByte('\n')
	}))
	t.Cleanup(server.Close)
	config, err := otlp.Read(server.URL, false, func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	config.Content, config.Gzip = true, false
	exporter := otlp.New(t.Context(), config, "v1", [16]byte{1})
	for _, e := range resulttest.Events() {
		if e.Place().Step == "" { // conversations with steps are refused: see TestTracesOfSteps
			exporter.Handle(e)
		}
	}
	exporter.Close()
	s := only(t, sent.Bytes())
	want := "system Be kind., user Where is my teapot?, assistant [call_1][call_2], tool {\"status\": \"sent\"}, tool "
	if got := spoken(s); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if s.ID != "refund/gpt-4o/default" || s.Scenario != "refund" || s.Provider != "gpt-4o" || len(s.Evals) != 2 ||
		len(s.Verdicts) != 1 || len(s.Messages[2].Verdicts) != 1 || s.Messages[2].CostUSD == nil || s.Error == "" {
		t.Errorf("got %+v", s)
	}
}

// TestEventStream reads the stream from the test of its writer.
func TestEventStream(t *testing.T) {
	t.Parallel()
	f, err := Open(filepath.FromSlash("../report/events/testdata/events.jsonl"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Load(0)
	if err != nil {
		t.Fatal(err)
	}
	if f.Format() != FormatEventStream || len(f.Sessions()) != 1 || len(s.Messages) != 5 {
		t.Errorf("%s with %d sessions, the first with %d messages", f.Format(), len(f.Sessions()), len(s.Messages))
	}
	reply := s.Messages[2]
	if reply.Usage == nil || reply.Usage.InputTokens != 20 || reply.LatencyMS == 0 || len(reply.Verdicts) != 1 {
		t.Errorf("the reply is %+v", reply)
	}
}

// TestBrokenResults: a results.json with missing parts is never taken for a shorter run.
func TestBrokenResults(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	if err := jsonout.Write(&file, golden.Fixtures()[0].Build()); err != nil {
		t.Fatal(err)
	}
	whole := file.String()
	first := whole[strings.Index(whole, `"runs": [`)+len(`"runs": [`)+1:]
	first = first[:strings.Index(first, "\n")+1]
	for name, c := range map[string]struct{ text, want string }{
		"cut":       {whole[:len(whole)-400], "the text ends in the middle"},
		"one gone":  {strings.Replace(whole, first, "", 1), "counts 4 trials, found 3"},
		"no runs":   {`{"schema_version":1,"arena":"x","planned":1}`, "has no runs"},
		"newer":     {`{"schema_version":7,"arena":"x","planned":1,"runs":[]}`, "schema_version 7; this arena reads version 1"},
		"runs: 3":   {`{"schema_version":1,"arena":"x","planned":1,"runs":3}`, `"runs" is not a list`},
		"two":       {whole + whole, "more text after the end"},
		"garbled":   {strings.Replace(whole, `"turns":`, `"turns";`, 1), "not valid JSON"},
		"no status": {strings.Replace(whole, `"status":"passed","passed":true`, `"passed":true`, 1), "without id or status"},
		"odd role":  {strings.Replace(whole, `"role":"assistant"`, `"role":"Assistant"`, 1), `unknown role "Assistant"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := open([]byte(c.text), Options{})
			contains(t, err, c.want)
		})
	}
}

func TestBrokenJournal(t *testing.T) {
	t.Parallel()
	whole := string(journal(t, golden.Fixtures()[0].Build()))
	lines := strings.SplitAfter(whole, "\n")
	for name, c := range map[string]struct{ text, want string }{
		"twice":   {lines[0] + lines[1] + lines[1], ":3:1: trial 0 is already on line 2"},
		"newer":   {strings.Replace(whole, `"journal":1`, `"journal":2`, 1), "has version 2; this arena reads version 1"},
		"corrupt": {lines[0] + "{oops\n" + lines[2], ":2:2: not valid JSON"},
		"foreign": {lines[0] + "{\"seq\":1}\n" + lines[2], ":2:1: a line of a journal must be a trial or the end"},
		"nothing": {lines[0], "there is no message in the file, read as journal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := open([]byte(c.text), Options{})
			contains(t, err, c.want)
		})
	}
}

// TestDamagedTrials: a missing turn, or missing text in one, is reported, in every format of arena.
func TestDamagedTrials(t *testing.T) {
	t.Parallel()
	flat := strings.ReplaceAll(ownTrial, "\n", "")
	called := strings.Replace(flat, `"tool_calls":[],`, `"tool_calls":[{"name":"orders","args":{"id":"arg1"},"result":"said1"}],`, 1)
	messages := strings.ReplaceAll(ownMessages, "\n", "")
	first := flat[strings.Index(flat, `{"index":0`):strings.Index(flat, `{"index":1`)]
	for name, c := range map[string]struct{ trial, want string }{
		"whole":                {called, ""},
		"no first turn":        {strings.Replace(flat, first, "", 1), "turns[0] has the index 1, expected 0: a turn is lost"},
		"a turn twice":         {strings.Replace(flat, `"index":1`, `"index":0`, 1), "turns[1] has the index 0, expected 1"},
		"no messages":          {strings.Replace(flat, messages, "", 1), "turns[0] has a reply that is not in its messages"},
		"messages of null":     {strings.Replace(flat, "["+messages+"]", "null", 1), "turns[0] has a reply that is not in its messages"},
		"no reply":             {strings.Replace(flat, `,{"role":"assistant","content":"reply1"}`, "", 1), "turns[0] has another reply"},
		"no call":              {strings.Replace(called, messages, `{"role":"user","content":"asked1"},{"role":"assistant","content":"reply1"}`, 1), `turns[0] has a call of the tool "orders"`},
		"other arguments":      {strings.Replace(called, `"args":{"id":"arg1"},"result"`, `"args":{"id":"arg9"},"result"`, 1), `turns[0] has a call of the tool "orders" with other arguments`},
		"no user":              {strings.Replace(flat, `{"role":"user","content":"asked1"},`, "", 1), "turns[0] has no message of the user"},
		"an error of no words": {strings.Replace(strings.Replace(flat, "passed", "error", 1), messages, "", 1), "turns[0] has a reply that"},
		"a long time":          {strings.Replace(flat, `"status"`, `"duration_ms":1e308,"status"`, 1), "duration_ms cannot be 1e+308; expected 0 to 1e+15"},
		"a price":              {strings.Replace(flat, `"status"`, `"cost_usd":-1,"status"`, 1), "cost_usd cannot be -1"},
		"a price of a reply":   {strings.Replace(flat, `"content":"reply1"`, `"content":"reply1","cost_usd":1e300`, 1), "turns[0].messages[3].cost_usd cannot be 1e+300"},
	} {
		for file, text := range map[string]string{
			"results.json": `{"schema_version":1,"planned":1,"summary":{"trials":1},"runs":[` + c.trial + `]}`,
			"journal":      `{"journal":1,"arena":"x","planned":1}` + "\n" + `{"index":0,"trial":` + c.trial + "}\n" + `{"end":{"duration_ms":3}}`,
		} {
			t.Run(name+" in "+file, func(t *testing.T) {
				t.Parallel()
				_, err := open([]byte(text), Options{})
				if c.want != "" {
					contains(t, err, c.want)
				} else if err != nil {
					t.Error(err)
				}
				if file != "results.json" {
					return
				}
				if _, err := jsonout.Read(strings.NewReader(text)); c.want != "" {
					contains(t, err, c.want)
				} else if err != nil {
					t.Error(err)
				}
			})
		}
	}
}
