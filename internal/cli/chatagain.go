package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/generate"
	"github.com/arena-evals/arena/internal/scenario"
)

// A saved chat tests the agent only with the same prompt, tools and guardrails. So the file names its prompt, and the
// command that is printed with it loads the project.

// taskType is the prompt that a saved chat names. In a workflow it is that of the first state; "": the default one.
func (c *chatTalk) taskType() string {
	if prompt := c.trial.Prompt; c.trial.Project.Workflow == nil && prompt != nil {
		return prompt.TaskType
	}
	return c.trial.Scenario.TaskType
}

// freeID makes the id of a chat from the name of its file. It adds a suffix if another scenario has that id.
func (c *chatTalk) freeID(file string) string {
	id := new(generate.Names).Unique(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), "chat")
	for c.flags.usesID(id, file) {
		id += "-chat"
	}
	return id
}

// usesID reports whether a scenario in another file has the id.
func (f *chatFlags) usesID(id, file string) bool {
	return slices.ContainsFunc(f.scenarios, func(s *scenario.Scenario) bool { return s.Is(id) && !sameFile(s.File, file) })
}

// rerunCommand is the command that runs a saved chat in the same project, with mock replies.
func (c *chatTalk) rerunCommand(file, id string) string {
	words := append([]string{"arena", "run"}, c.projectArgs(file)...)
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

// projectArgs are the arguments that load the project of the chat; none if the file alone loads it.
func (c *chatTalk) projectArgs(file string) (args []string) {
	if config := c.trial.Project.File; config != "" {
		if inProject(file, config) {
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

// inProject reports whether a scenario in a file belongs to the project of a config. The file need not exist yet.
func inProject(file, config string) bool {
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
