package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/scenario"
)

// VectorFile is a file of vectors: inputs of one check with the verdicts that are right for them.
type VectorFile struct {
	File    string   `json:"-"`
	Type    string   `json:"type"`
	Scope   string   `json:"scope"` // turn, session
	Vectors []Vector `json:"vectors"`
}

// Vector is one input and what is expected of it.
type Vector struct {
	Name    string                     `json:"name"`
	Params  json.RawMessage            `json:"params"`
	When    *vectorWhen                `json:"when"`
	Context vectorContext              `json:"context"`
	Expect  map[string]json.RawMessage `json:"expect"`
	// Tools are what tool_exec and valid_tool_call ask; nil: the project has none.
	Tools map[string]vectorTool `json:"tools"`
	// What the only judge does: it gives a reply, or it fails. Neither: no judge is configured.
	JudgeReply *string           `json:"judge_reply"`
	JudgeError *string           `json:"judge_error"`
	HTTP       *vectorHTTP       `json:"http"` // the endpoint at {{URL}}; nil: there is none
	Exec       *vectorExec       `json:"exec"` // the program behind a check that is not built in
	Env        map[string]string `json:"env"`
}

// condition is the same as files write it; nil: none.
func (w *vectorWhen) condition() *scenario.When {
	if w == nil {
		return nil
	}
	return &scenario.When{
		ToolCalled: w.ToolCalled, ToolCalledPattern: w.ToolCalledPattern, AnyToolCalled: w.AnyToolCalled,
		MinToolCalls: w.MinToolCalls,
	}
}

type vectorWhen struct {
	ToolCalled        string `json:"tool_called"`
	ToolCalledPattern string `json:"tool_called_pattern"`
	AnyToolCalled     bool   `json:"any_tool_called"`
	MinToolCalls      int    `json:"min_tool_calls"`
}

// vectorContext is a conversation. Output is the text of the last reply and wins over Messages; ToolCalls, when they
// are there at all, win over those in Messages; numbers in Metadata win over sums.
type vectorContext struct {
	Output    *string           `json:"output"`
	Messages  []vectorMessage   `json:"messages"`
	ToolCalls []vectorCall      `json:"tool_calls"`
	Metadata  jsonvalue.Object  `json:"metadata"`
	Variables map[string]string `json:"variables"`
	Scenario  *vectorScenario   `json:"scenario"`
}

// vectorScenario is what the author of a scenario says of it.
type vectorScenario struct {
	Name            string `json:"name"`
	Description     string `json:"description"`
	ExpectedOutcome string `json:"expected_outcome"`
	Input           any    `json:"input"`
	Expected        any    `json:"expected"`
	Stdout          string `json:"stdout"`
}

type vectorMessage struct {
	Role         string             `json:"role"`
	Content      string             `json:"content"`
	ToolCalls    []vectorToolCall   `json:"tool_calls"`
	ToolResult   *vectorResult      `json:"tool_result"`
	Media        []vectorMedia      `json:"media"`
	Validations  []vectorValidation `json:"validations"`
	LatencyMS    *float64           `json:"latency_ms"`
	CostUSD      *float64           `json:"cost_usd"`
	InputTokens  *int               `json:"input_tokens"`
	OutputTokens *int               `json:"output_tokens"`
	State        string             `json:"workflow_state"`
	FinishReason string             `json:"finish_reason"`
}

type vectorToolCall struct {
	ID   string    `json:"id"`
	Name string    `json:"name"`
	Args chat.Args `json:"args"`
}

type vectorResult struct {
	ID        string        `json:"id"`
	Name      string        `json:"name"`
	Content   string        `json:"content"`
	Error     string        `json:"error"`
	ErrorType string        `json:"error_type"`
	Media     []vectorMedia `json:"media"`
}

type vectorMedia struct {
	Type     string  `json:"type"`
	MIMEType string  `json:"mime_type"`
	Data     string  `json:"data"`
	URL      string  `json:"url"`
	Path     string  `json:"path"`
	Width    int     `json:"width"`
	Height   int     `json:"height"`
	Duration float64 `json:"duration"`
}

type vectorValidation struct {
	Type    string           `json:"validator_type"`
	Passed  bool             `json:"passed"`
	Details jsonvalue.Object `json:"details"`
}

type vectorCall struct {
	Turn       int       `json:"turn_index"`
	Name       string    `json:"name"`
	Args       chat.Args `json:"args"`
	Result     any       `json:"result"`
	Error      string    `json:"error"`
	ErrorType  string    `json:"error_type"`
	DurationMS float64   `json:"duration_ms"`
}

// ReadVectors reads vector files; of a directory those that end in .json, in order of their paths.
func ReadVectors(paths ...string) ([]VectorFile, error) {
	var files []VectorFile
	for _, path := range paths {
		names, err := VectorPaths(path)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			f, err := readVectors(name)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			files = append(files, f)
		}
	}
	return files, nil
}

// VectorPaths are the files that a path means: of a directory those that end in .json, in order of their paths, and at
// least one.
func VectorPaths(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	var names []string
	err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(name, ".json") {
			names = append(names, name)
		}
		return err
	})
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%s: no .json file in it", path)
	}
	return names, err
}

func readVectors(name string) (VectorFile, error) {
	data, err := plainfile.Read(name)
	if err != nil {
		return VectorFile{}, err
	}
	f := VectorFile{File: name}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&f); err != nil {
		return f, err
	}
	switch {
	case f.Type == "":
		return f, errors.New("it names no type")
	case f.Scope != checks.ScopeTurn && f.Scope != checks.ScopeSession:
		return f, fmt.Errorf("scope is %q, expected %s or %s", f.Scope, checks.ScopeTurn, checks.ScopeSession)
	case len(f.Vectors) == 0:
		return f, errors.New("it holds no vectors")
	}
	return f, nil
}
