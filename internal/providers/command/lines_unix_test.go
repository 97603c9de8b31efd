//go:build unix

package command

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// converse is an agent with protocol: lines. Each argument is what it writes for a turn: lines, or EXIT 3, HANG, CLOSE,
// READ, which takes a line more, and FORK, which leaves a child behind. It returns its exit status.
func converse(how string, args []string) int {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	if how == "echo-lines" {
		for {
			line, err := in.ReadString('\n')
			if err != nil || strings.Contains(line, `"type":"end"`) {
				return 0
			}
			var m struct{ Text string }
			_ = json.Unmarshal([]byte(line), &m)
			text, _ := json.Marshal(map[string]string{"type": "reply", "text": "you said: " + m.Text})
			fmt.Fprintf(out, "%s\n", text)
			_ = out.Flush()
		}
	}
	last := ""
	for i := 0; ; i++ {
		line, err := in.ReadString('\n')
		if err != nil {
			return 0
		}
		last = strings.TrimSpace(line)
		script := ""
		switch {
		case strings.Contains(line, `"type":"end"`):
			script = args[len(args)-1]
			if !strings.HasPrefix(script, "END ") {
				return 0
			}
			script = strings.TrimPrefix(script, "END ")
		case i < len(args):
			script = args[i]
		}
		for word := range strings.SplitSeq(script, "|") {
			verb, arg, _ := strings.Cut(word, " ")
			switch verb {
			case "EXIT":
				_ = out.Flush()
				fmt.Fprintln(os.Stderr, "it broke")
				n, _ := strconv.Atoi(arg)
				return n
			case "HANG":
				_ = out.Flush()
				select {}
			case "CLOSE":
				_ = out.Flush()
				_ = os.Stdout.Close()
				select {}
			case "READ":
				_ = out.Flush()
				line, _ = in.ReadString('\n')
				last = strings.TrimSpace(line)
			case "SAW":
				text, _ := json.Marshal(map[string]string{"type": "reply", "text": last})
				fmt.Fprintf(out, "%s\n", text)
			case "LONG":
				n, _ := strconv.Atoi(arg)
				fmt.Fprintf(out, "{\"type\":\"reply\",\"text\":\"%s\"}\n", strings.Repeat("x", n))
			case "FLOOD":
				for range 11 << 10 {
					fmt.Fprintf(out, "%s\n", strings.Repeat("x", 1023))
				}
			case "FORK":
				c := exec.Command("sleep", "100000")
				if c.Start() != nil {
					return 1
				}
				fmt.Fprintf(out, "{\"type\":\"reply\",\"text\":\"%d\"}\n", c.Process.Pid)
			case "HALF":
				fmt.Fprint(out, arg)
			default:
				fmt.Fprintln(out, strings.NewReplacer(`\x`, "\xff", `\0`, "\x00").Replace(word))
			}
		}
		_ = out.Flush()
	}
}

func reply(text string) string { return `{"type":"reply","text":"` + text + `"}` }

func byLines(s *scenario.Provider)   { s.Program.Lines = true }
func asksArena(s *scenario.Provider) { s.Program.Lines, s.Program.AsksTools = true, true }

// dialogue is a trial with a program, to whose calls arena answers "fine".
type dialogue struct {
	t        *testing.T
	p        *Provider
	trial    *providers.Trial
	messages []chat.Message
	turns    int
	log      []string // texts, calls and notices in order
	stream   func(chat.Delta) error
	last     chat.Reply
}

func (d *dialogue) turn(text string) error {
	ctx := providers.InTrial(d.t.Context(), d.trial)
	d.messages = append(d.messages, chat.Message{Role: chat.User, Content: text})
	for round := 0; ; round++ {
		req := &chat.Request{Messages: d.messages, Stream: d.stream != nil}
		req.Origin.Turn, req.Origin.Reply = d.turns, round
		r, err := d.p.Complete(ctx, req, d.stream)
		if err != nil {
			return err
		}
		d.last = r
		d.messages = append(d.messages, r.Message())
		if r.Content != "" {
			d.log = append(d.log, r.Content)
		}
		for _, call := range r.ToolCalls {
			args, _ := json.Marshal(call.Args)
			res := chat.ToolResult{ID: call.ID, Name: call.Name, Content: "fine"}
			if at := slices.IndexFunc(r.ToolResults, func(x chat.ToolResult) bool { return x.ID == call.ID }); at >= 0 {
				res = r.ToolResults[at]
			}
			d.log = append(d.log, fmt.Sprintf("%s(%s)=%s", call.Name, args, res.Content))
			d.messages = append(d.messages, chat.Message{Role: chat.ToolRole, ToolResult: &res})
		}
		if len(r.ToolCalls) == 0 {
			d.turns++
			return nil
		}
	}
}

func talkTo(t *testing.T, edit func(*scenario.Provider), how string, args ...string) *dialogue {
	t.Helper()
	return &dialogue{t: t, p: agent(t, edit, how, args...), trial: &providers.Trial{ID: "t"}}
}

// TestLines: turn after turn of one process, and whatever a program may do instead.
func TestLines(t *testing.T) {
	t.Parallel()
	call := `{"type":"tool_call","id":"a","name":"get_order","args":{"id":"A-1"}}`
	result := `{"type":"tool_result","id":"a","result":{"status":"lost"}}`
	short := func(s *scenario.Provider) { byLines(s); s.RequestTimeout = time.Millisecond /* is meant to pass */ }
	for _, c := range []struct {
		name string
		edit func(*scenario.Provider)
		does []string // in each turn
		want string   // of all turns, then the error and that of the end
	}{
		{"two turns", byLines, []string{reply("one"), reply("two")}, "one; two"},
		{"in pieces", byLines, []string{`{"type":"delta","text":"o"}|{"type":"delta","text":"ne"}|{"type":"reply"}`}, "one"},
		{"in pieces and whole", byLines, []string{`{"type":"delta","text":"one"}|` + reply("one")}, "one"},
		{"other pieces", byLines, []string{`{"type":"delta","text":"one"}|` + reply("two")},
			`error: its deltas say "one", and its reply says something else: "{\"type\":\"reply\",\"text\":\"two\"}"`},
		{"its own call", byLines, []string{call + "|" + result + "|" + reply("lost")},
			"get_order({\"id\":\"A-1\"})={\n  \"status\": \"lost\"\n}; lost"},
		{"a call that failed", byLines, []string{call + `|{"type":"tool_result","error":"no such order"}|` + reply("sorry")},
			`get_order({"id":"A-1"})=no such order; sorry`},
		{"words before a call", byLines, []string{`{"type":"delta","text":"Let me see. "}|` + call + "|" + result + "|" +
			reply("Let me see. It is lost.")},
			"Let me see. ; get_order({\"id\":\"A-1\"})={\n  \"status\": \"lost\"\n}; It is lost."},
		{"a call without a result", byLines, []string{call + "|" + reply("lost")},
			"error: it replied and did not report the " +
				`result of its call of get_order (id "a"): write a tool_result, or let arena run the tools with tools: arena: ` +
				`"{\"type\":\"reply\",\"text\":\"lost\"}"`},
		{"a result for nobody", byLines, []string{result + "|" + reply("lost")},
			"error: it gave a result, and no call with the " +
				`id "a" waits for one: "{\"type\":\"tool_result\",\"id\":\"a\",\"result\":{\"status\":\"lost\"}}"`},
		{"two calls with one id", byLines, []string{call + "|" + call}, `error: it used the id "a" for two calls: ` +
			`"{\"type\":\"tool_call\",\"id\":\"a\",\"name\":\"get_order\",\"args\":{\"id\":\"A-1\"}}"`},
		{"a call that arena makes", asksArena, []string{call + "|READ|SAW"},
			`get_order({"id":"A-1"})=fine; {"type":"tool_result","id":"a","result":"fine"}`},
		{"a result in the place of arena", asksArena, []string{call + "|READ|" + result},
			`get_order({"id":"A-1"})=fine; error: ` +
				"with tools: arena it is arena that runs the calls, and the program gave a result: " +
				`"{\"type\":\"tool_result\",\"id\":\"a\",\"result\":{\"status\":\"lost\"}}"`},
		{"logs", byLines, []string{`{"type":"log","text":"x"}|hello|{"level":"info"}||` + reply("one")}, "one"},
		{"arguments as a text", byLines, []string{`{"type":"tool_call","name":"f","args":"{}"}`},
			`error: the args of its tool_call of f are no object: "{\"type\":\"tool_call\",\"name\":\"f\",\"args\":\"{}\"}"`},
		{"a result of nothing", byLines, []string{`{"type":"tool_call","name":"f"}|{"type":"tool_result","error":""}`},
			`error: its tool_result has neither result nor error: "{\"type\":\"tool_result\",\"error\":\"\"}"`},
		{"an unknown type", byLines, []string{`{"type":"replly","text":"x"}`},
			`error: it wrote a message of the unknown type ` +
				`"replly"; expected delta, tool_call, tool_result, usage, log, reply or error: ` +
				`"{\"type\":\"replly\",\"text\":\"x\"}"`},
		{"says that it fails", byLines, []string{`{"type":"error","text":"no key"}`},
			`error: it says that it cannot reply: "no key"`},
		{"a second reply", byLines, []string{reply("one") + "|" + reply("again")},
			`one; end: it replied a second time, or before it was asked: "{\"type\":\"reply\",\"text\":\"again\"}"`},
		{"a call for nobody", byLines, []string{reply("one") + "|" + call},
			"one; end: it wrote a message of type \"tool_call\" " +
				"after its reply, which belongs to no turn: " +
				`"{\"type\":\"tool_call\",\"id\":\"a\",\"name\":\"get_order\",\"args\":{\"id\":\"A-1\"}}"`},
		{"a reply at the end", byLines, []string{reply("one"), "END " + reply("bye")},
			`one; end: it replied a second time, or before it was asked: "{\"type\":\"reply\",\"text\":\"bye\"}"`},
		{"fails at the end", byLines, []string{reply("one"), "END EXIT 3"},
			"one; end: it ended after its last reply: exit status 3; stderr: it broke"},
		{"a reply without text", byLines, []string{reply("")},
			`error: its reply has no text: "{\"type\":\"reply\",\"text\":\"\"}"`},
		{"a text of another type", byLines, []string{`{"type":"reply","text":7}`},
			"error: it wrote a message that cannot be " +
				`read (text cannot be a number): "{\"type\":\"reply\",\"text\":7}"`},
		{"a key twice", byLines, []string{`{"type":"reply","text":"a","text":"b"}`},
			`error: it wrote a message with the key ` +
				`"text" twice in one object: "{\"type\":\"reply\",\"text\":\"a\",\"text\":\"b\"}"`},
		{"no text", byLines, []string{reply(`a\xb`)},
			`error: it wrote a message that is not valid UTF-8: "{\"type\":\"reply\",\"text\":\"a�b\"}"`},
		{"NUL", byLines, []string{reply(`a\u0000b`)}, `error: its reply holds a NUL character: "a␀b"`},
		{"half a line", byLines, []string{`HALF {"type":"reply","te|EXIT 0`},
			"error: it wrote a line that looks like a message " +
				`and is no JSON (unexpected end of JSON input): "{\"type\":\"reply\",\"te"; stderr: it broke`},
		{"dies before its reply", byLines, []string{"EXIT 3"},
			"error: it ended before it replied: exit status 3; stderr: it broke"},
		{"dies after other lines", byLines, []string{`{"text":"hi"}|oh|EXIT 0`}, "error: it ended before it replied; it wrote " +
			`lines that are no messages (objects of JSON with a type), the first of them "{\"text\":\"hi\"}"; stderr: it broke`},
		{"dies with success", byLines, []string{"EXIT 0"}, "error: it ended before it replied; stderr: it broke"},
		{"dies after a reply", byLines, []string{reply("one") + "|EXIT 3"}, "one; end: it ended after its last reply: exit " +
			"status 3; stderr: it broke"},
		{"dies between turns", byLines, []string{reply("one") + "|EXIT 0", reply("two")},
			"one; error: it ended before it replied; stderr: it broke"},
		{"a long line", byLines, []string{"LONG 1100000"}, "error: it wrote a line of more than 1 MB"},
		{"floods", byLines, []string{"FLOOD"}, "error: it wrote more than 10 MB for one reply"},
		{"hangs", short, []string{"HANG"}, "error: no reply within 1ms (request_timeout)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := talkTo(t, c.edit, "script", c.does...)
			for i := range c.does {
				if strings.HasPrefix(c.does[i], "END ") {
					continue
				}
				if err := d.turn("hi"); err != nil {
					d.log = append(d.log, "error: "+bare(err))
					break
				}
			}
			if _, err := d.trial.End(t.Context()); err != nil {
				d.log = append(d.log, "end: "+bare(err))
			}
			if got := strings.Join(d.log, "; "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// bare is an error without the provider and the program.
func bare(err error) string {
	self, _ := os.Executable()
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), "provider mine: "), self+": ")
}

// TestUsageOfLines: reported tokens and prices count once; without a price the cost is unknown.
func TestUsageOfLines(t *testing.T) {
	t.Parallel()
	use := func(more string) string { return `{"type":"usage","input_tokens":10,"output_tokens":2` + more + `}` }
	for does, want := range map[string]string{
		use("") + "|" + reply("x"): "10+2 unknown",
		use(`,"cost_usd":0.5`) + "|" + use(`,"cost_usd":0.25`) + "|" + reply("x"): "20+4 0.75",
		use(`,"cost_usd":0.5`) + "|" + use("") + "|" + reply("x"):                 "20+4 unknown",
		reply("four"): "estimated unknown",
		`{"type":"usage","cost_usd":0.5}|` + reply("x"):                                                      "estimated 0.5",
		`{"type":"usage","input_tokens":-1}|` + reply("x"):                                                   "error",
		`{"type":"usage","tokens":1}|` + reply("x"):                                                          "error",
		`{"type":"usage","input_tokens":1.5}|` + reply("x"):                                                  "error",
		`{"type":"usage","cost_usd":-1}|` + reply("x"):                                                       "error",
		`{"type":"tool_call","name":"f"}|{"type":"tool_result","result":null}|` + use("") + "|" + reply("x"): "10+2 unknown",
	} {
		d := talkTo(t, byLines, "script", does)
		err := d.turn("hi")
		got, u := "error", d.last.Usage
		switch {
		case err != nil:
		case u.Estimated:
			got = "estimated"
		default:
			got = fmt.Sprintf("%d+%d", u.InputTokens, u.OutputTokens)
		}
		if err == nil && d.last.CostUSD == nil {
			got += " unknown"
		} else if err == nil {
			got += fmt.Sprintf(" %v", *d.last.CostUSD)
		}
		if got != want {
			t.Errorf("%s: got %s, %v, want %s", does, got, err, want)
		}
		if _, err := d.trial.End(t.Context()); err != nil {
			t.Errorf("%s: %v", does, err)
		}
	}
}

// TestClosedStream: a guardrail that closes the stream ends the program, and the next turn starts another one, which
// gets the history.
// TestModelCallsOfLines: lines do not report the number of model calls, so it is unknown.
func TestModelCallsOfLines(t *testing.T) {
	t.Parallel()
	own := `{"type":"tool_call","id":"a","name":"f"}|{"type":"tool_result","id":"a","result":null}|`
	for _, does := range []string{reply("x"), own + reply("x"), `{"type":"delta","text":"x"}|` + reply("x")} {
		d := talkTo(t, byLines, "script", does)
		if err := d.turn("hi"); err != nil {
			t.Fatalf("%s: %v", does, err)
		}
		if want := []string{chat.UnreportedModelCalls}; !slices.Equal(d.last.Unreported, want) {
			t.Errorf("%s: untold are %q, want %q", does, d.last.Unreported, want)
		}
		if _, err := d.trial.End(t.Context()); err != nil {
			t.Errorf("%s: %v", does, err)
		}
	}
	d := talkTo(t, byLines, "script", `{"type":"delta","text":"x"}|HANG`)
	d.stream = func(chat.Delta) error { return providers.ErrEnough }
	if err := d.turn("hi"); err != nil || len(d.last.Unreported) != 1 {
		t.Errorf("a closed stream: untold are %q, %v", d.last.Unreported, err)
	}
	if _, err := d.trial.End(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestClosedStream(t *testing.T) {
	t.Parallel()
	d := talkTo(t, byLines, "script", `{"type":"delta","text":"My password is "}|HANG`)
	d.stream = func(chat.Delta) error { return providers.ErrEnough }
	if err := d.turn("hi"); err != nil || d.last.Content != "My password is " || d.last.FinishReason != "" {
		t.Fatalf("got %+v, %v", d.last, err)
	}
	d.p.Command[3] = "SAW"
	d.stream = nil
	if err := d.turn("go on"); err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"turn","trial":"t","index":1,"text":"go on","history":[{"role":"user","text":"hi"},` +
		`{"role":"assistant","text":"My password is "}]}`
	if d.last.Content != want || !strings.Contains(d.last.Notice, "a guardrail closed the stream") {
		t.Errorf("got  %s (%s)\nwant %s", d.last.Content, d.last.Notice, want)
	}
	if _, err := d.trial.End(t.Context()); err != nil {
		t.Error(err)
	}
	refused := errors.New("refused")
	d = talkTo(t, byLines, "script", `{"type":"delta","text":"x"}`)
	d.stream = func(chat.Delta) error { return refused }
	if err := d.turn("hi"); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
}

// TestPersonasHaveProgramsOfTheirOwn: a program that is the agent and plays a user too is started for each of them.
func TestPersonasHaveProgramsOfTheirOwn(t *testing.T) {
	t.Parallel()
	// A program that played all three would go through the five replies instead of hanging.
	d := talkTo(t, byLines, "script", reply("first"), reply("second"), reply("third"), reply("fourth"), reply("fifth"))
	ctx := providers.InTrial(t.Context(), d.trial)
	var got []string
	for _, persona := range []string{"", "guest", "thief", "guest", ""} {
		req := ask("hi")
		req.Origin.Persona = persona
		r, err := d.p.Complete(ctx, req, nil)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.Content)
	}
	if want := []string{"first", "first", "first", "second", "second"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := d.trial.End(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestNothingIsLeftOfLines: the child processes of a program end with the trial.
func TestNothingIsLeftOfLines(t *testing.T) {
	t.Parallel()
	d := talkTo(t, byLines, "script", "FORK")
	if err := d.turn("hi"); err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(d.last.Content)
	if err != nil || syscall.Kill(pid, 0) != nil {
		t.Fatalf("no child %q", d.last.Content)
	}
	if _, err := d.trial.End(t.Context()); err != nil {
		t.Error(err)
	}
	ends(t, pid)
}
