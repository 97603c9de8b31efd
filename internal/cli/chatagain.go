package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/generate"
	"github.com/arena-evals/arena/internal/scenario"
)

// A saved chat is a test of the agent only with the prompt, the tools and the guardrails that it was had with: it names
// its prompt, and the command that is told with it loads the project around it.

// taskType is the prompt that a saved chat names. In a workflow it is that of the state in which the scenario starts;
// "": that in which all do.
func (c *chatTalk) taskType() string {
	if prompt := c.trial.Prompt; c.trial.Project.Workflow == nil && prompt != nil {
		return prompt.TaskType
	}
	return c.trial.Scenario.TaskType
}

// freeID is the id of a chat that is saved in a file: the name of that, as ids are written, unless another scenario has
// it.
func (c *chatTalk) freeID(file string) string {
	id := new(generate.Names).Unique(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), "chat")
	for c.flags.takes(id, file) {
		id += "-chat"
	}
	return id
}

// takes reports whether a scenario of the project in another file has an id.
func (f *chatFlags) takes(id, file string) bool {
	return slices.ContainsFunc(f.others, func(s *scenario.Scenario) bool { return s.Is(id) && !sameFile(s.File, file) })
}

// again is the command that runs a saved chat with all that it was had with, and asks no model.
func (c *chatTalk) again(file, id string) string {
	words := append([]string{"arena", "run"}, c.around(file)...)
	whole := len(words) > 2 // more than the chat is loaded
	if words = append(words, file); whole {
		words = append(words, "--scenario", id)
	}
	for _, region := range c.flags.regions {
		words = append(words, "--region", region)
	}
	if c.flags.lenient {
		words = append(words, "--lenient")
	}
	words = append(words, "--mock-provider")
	for i, w := range words {
		words[i] = shellQuote(w)
	}
	return strings.Join(words, " ")
}

// around are the arguments that load the project of the chat beside a file; none where the file alone does.
func (c *chatTalk) around(file string) (args []string) {
	if config := c.trial.Project.File; config != "" {
		if belongs(file, config) {
			return nil
		}
		return []string{"-c", config}
	}
	for _, path := range c.flags.paths {
		if !sameFile(path, c.trial.Scenario.File) {
			args = append(args, path)
		}
	}
	return args
}

// belongs reports whether a scenario in a file, which need not be there yet, is run as a part of the project of a
// config.
func belongs(file, config string) bool {
	name := filepath.ToSlash(filepath.Clean(file))
	if !filepath.IsLocal(file) {
		return false
	}
	suite, _ := scenario.Load(scenario.Options{
		Paths: []string{file}, Memory: map[string][]byte{name: []byte("id: x\nturns: [{role: user, content: x}]\n")},
		Lenient: true, Bare: true,
	})
	return len(suite.Projects) == 1 && suite.Projects[0].File != "" && sameFile(suite.Projects[0].File, config)
}
