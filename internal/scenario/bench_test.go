package scenario_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// writeSuite writes a project of n scenarios with three turns and three checks each, one of them with a JSON Schema.
func writeSuite(tb testing.TB, n int) string {
	tb.Helper()
	dir := tb.TempDir()
	var config, mocks strings.Builder
	config.WriteString("kind: Arena\nmetadata: {name: bench}\nspec:\n  prompt_configs: [{id: desk, file: desk.yaml}]\n" +
		"  providers: [{file: provider.yaml}]\n  scenarios:\n")
	mocks.WriteString("scenarios:\n")
	files := map[string]string{
		"desk.yaml": "kind: PromptConfig\nmetadata: {name: desk}\nspec: {task_type: desk, system_template: You answer.}\n",
		"provider.yaml": "kind: Provider\nmetadata: {name: m}\nspec: {type: mock, model: m, " +
			"additional_config: {mock_config: mocks.yaml}}\n",
	}
	for i := range n {
		name := fmt.Sprintf("scenarios/order-%04d.yaml", i)
		fmt.Fprintf(&config, "    - file: %s\n", name)
		fmt.Fprintf(&mocks, "  order-%04d:\n    turns: {1: one, 2: two, 3: three}\n", i)
		files[name] = scenarioText(i)
	}
	files["config.arena.yaml"], files["mocks.yaml"] = config.String(), mocks.String()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

func scenarioText(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: promptkit.altairalabs.ai/v1alpha1\nkind: Scenario\nmetadata:\n  name: order-%04d\n"+
		"spec:\n  task_type: desk\n  description: Order %d of the bench\n  turns:\n", i, i)
	for turn := range 3 {
		fmt.Fprintf(&b, `    - role: user
      content: "Please confirm order %d, line %d"
      assertions:
        - type: contains
          params:
            patterns: ["order %d"]
          message: names the order
        - type: regex
          params:
            pattern: "order [0-9]+"
        - type: json_schema
          params:
            schema:
              type: object
              required: [order, status]
              properties:
                order: {type: integer, minimum: 0}
                status: {type: string, enum: [open, closed]}
`, i, turn, i)
	}
	return b.String()
}

// plainScenario is the struct of a program without positions and checks.
type plainScenario struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Metadata   struct {
		Name string `yaml:"name"`
	} `yaml:"metadata"`
	Spec struct {
		TaskType    string `yaml:"task_type"`
		Description string `yaml:"description"`
		Turns       []struct {
			Role       string `yaml:"role"`
			Content    string `yaml:"content"`
			Assertions []struct {
				Type    string         `yaml:"type"`
				Params  map[string]any `yaml:"params"`
				Message string         `yaml:"message"`
			} `yaml:"assertions"`
		} `yaml:"turns"`
	} `yaml:"spec"`
}

const benchFiles = 1000

func BenchmarkLoad(b *testing.B) {
	dir := writeSuite(b, benchFiles)
	compile := func(c *scenario.Check, _ *diag.List) { c.Compiled = c.Type }
	for b.Loop() {
		suite, diags := scenario.Load(scenario.Options{Dir: dir, Compile: compile})
		if diags.Errors() > 0 || len(suite.Projects[0].Scenarios) != benchFiles {
			b.Fatal(diags.Sorted())
		}
	}
}

// BenchmarkLoadLoose loads files of a folder without a config: the time for each must not grow with their number.
func BenchmarkLoadLoose(b *testing.B) {
	for _, n := range []int{benchFiles, 4 * benchFiles} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			dir := b.TempDir()
			for i := range n {
				name := filepath.Join(dir, fmt.Sprintf("s%05d.yaml", i))
				if err := os.WriteFile(name, []byte("turns: [{role: user, content: hi}]\n"), 0o600); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				suite, diags := scenario.Load(scenario.Options{Paths: []string{dir}})
				if diags.Errors() > 0 || len(suite.Projects[0].Scenarios) != n {
					b.Fatal(diags.Sorted())
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/file")
		})
	}
}

// BenchmarkLoadSkills loads a project of 500 skills of 20 KiB. It is to take 50 ms at most.
func BenchmarkLoadSkills(b *testing.B) {
	dir := b.TempDir()
	const n = 500
	body := strings.Repeat("Read the order before you decide about money, and state the amount.\n", 300)
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	write("config.arena.yaml", "kind: Arena\nmetadata: {name: skills}\nspec:\n  skills: [{path: skills}]\n"+
		"  scenario_specs: {s: {turns: [{role: user, content: hi}]}}\n  provider_specs: {m: {type: mock, model: m}}\n")
	for i := range n {
		name := fmt.Sprintf("skill-%d", i)
		write("skills/"+name+"/SKILL.md", "---\nname: "+name+"\ndescription: Number "+name+"\n---\n"+body)
	}
	b.ReportAllocs()
	for b.Loop() {
		suite, diags := scenario.Load(scenario.Options{Config: filepath.Join(dir, "config.arena.yaml")})
		if diags.Errors() > 0 || len(suite.Projects[0].Skills.All()) != n {
			b.Fatal(diags.Sorted())
		}
	}
}

// BenchmarkUnmarshal is the lower bound of BenchmarkLoad: it decodes the same files into plain structs, with the same
// number of goroutines.
func BenchmarkUnmarshal(b *testing.B) {
	dir := writeSuite(b, benchFiles)
	paths, err := filepath.Glob(filepath.Join(dir, "scenarios", "*.yaml"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		unmarshalAll(b, paths)
	}
}

func unmarshalAll(b *testing.B, paths []string) {
	work := make(chan string)
	done := make(chan error)
	workers := runtime.GOMAXPROCS(0)
	for range workers {
		go func() {
			var err error
			for path := range work {
				data, readErr := os.ReadFile(path)
				if readErr != nil {
					err = readErr
				}
				var s plainScenario
				if yamlErr := yaml.Unmarshal(data, &s); yamlErr != nil {
					err = yamlErr
				}
			}
			done <- err
		}()
	}
	for _, path := range paths {
		work <- path
	}
	close(work)
	for range workers {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
}
