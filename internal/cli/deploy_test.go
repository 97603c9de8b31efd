package cli_test

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/dispatch/natstest"
	"github.com/arena-evals/arena/internal/node"
)

// deployed reads a file of the folder deploy, which holds one document.
func deployed(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	var d diag.List
	docs := node.Parse(&node.Reader{File: name, Diags: &d}, text)
	if d.Errors() > 0 || len(docs) != 1 {
		t.Fatalf("%s has %d documents: %v", name, len(docs), d.Sorted())
	}
	if err := docs[0].Decode(into); err != nil {
		t.Fatal(err)
	}
}

// service is a service of compose.yaml.
type service struct {
	Image    string
	Command  []string
	User     string
	ReadOnly bool     `yaml:"read_only"`
	CapDrop  []string `yaml:"cap_drop"`
	Tmpfs    []string
	Volumes  []string
	EnvFile  []any  `yaml:"env_file"`
	Dir      string `yaml:"working_dir"`
	Deploy   struct{ Replicas int }
}

// TestComposeFile starts the services of compose.yaml as plain processes: the broker, the workers, and a run whose
// trials the workers run. At the end all stop, and the broker holds nothing.
func TestComposeFile(t *testing.T) {
	t.Parallel()
	var compose struct{ Services map[string]service }
	deployed(t, "compose.yaml", &compose)
	broker, worker, run := compose.Services["broker"], compose.Services["worker"], compose.Services["run"]
	for name, s := range map[string]service{"worker": worker, "run": run} {
		if !s.ReadOnly || s.User == "" || strings.HasPrefix(s.User, "0") || !slices.Equal(s.CapDrop, []string{"ALL"}) ||
			!slices.Contains(s.Tmpfs, "/tmp") || !strings.Contains(s.Image, "/arena:") {
			t.Errorf("%s may do more than it needs to, or less: %+v", name, s)
		}
	}
	if len(run.EnvFile) > 0 || len(worker.EnvFile) == 0 {
		t.Error("the keys are the workers', and theirs alone")
	}
	takes, err := natstest.Command(broker.Command)
	if err != nil {
		t.Fatal(err)
	}
	started := natstest.New(t, takes)
	const trials = 20
	server := httptest.NewServer(&countingModel{})
	t.Cleanup(server.Close)
	project, results := tortureProject(t, server.URL, trials), filepath.Join(t.TempDir(), "results")
	start := func(dir string, words []string) *exec.Cmd {
		t.Helper()
		line := strings.NewReplacer("nats://broker:4222", started.URL(), "/results", results)
		args := slices.Clone(words)
		for i := range args {
			args[i] = line.Replace(args[i])
		}
		cmd := exec.CommandContext(t.Context(), "arena", args...)
		cmd.Dir = dir
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	var workers []*exec.Cmd
	for range worker.Deploy.Replicas {
		workers = append(workers, start(t.TempDir(), worker.Command))
	}
	if len(workers) != 3 || run.Dir != "/project" {
		t.Fatalf("%d workers, in %s", len(workers), run.Dir)
	}
	if err := start(project, run.Command).Wait(); err != nil {
		t.Error(err)
	}
	passed(t, results, trials)
	for _, w := range workers {
		(&workerPool{T: t}).stopWorker(w)
	}
	if entries, err := os.ReadDir(project); err != nil || len(entries) != 4 {
		t.Errorf("the run wrote into its project: %v, %v", entries, err)
	}
	if left := heldByBroker(t, started); left > 0 {
		t.Errorf("the broker holds %d jobs and results of the run still", left)
	}
}

// podSpec is the pod of a workload.
type podSpec struct {
	Restart         string `yaml:"restartPolicy"`
	SecurityContext struct {
		NonRoot bool `yaml:"runAsNonRoot"`
	} `yaml:"securityContext"`
	Containers []struct {
		Image           string
		Args            []string
		EnvFrom         []any  `yaml:"envFrom"`
		Dir             string `yaml:"workingDir"`
		SecurityContext struct {
			ReadOnly bool `yaml:"readOnlyRootFilesystem"`
			Escalate bool `yaml:"allowPrivilegeEscalation"`
		} `yaml:"securityContext"`
		Mounts []struct {
			Name string
		} `yaml:"volumeMounts"`
	}
	Volumes []struct{ Name string }
}

// workload is a file for Kubernetes.
type workload struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		Replicas int
		Backoff  *int `yaml:"backoffLimit"`
		Selector struct {
			Labels map[string]string `yaml:"matchLabels"`
		}
		Template struct {
			Metadata struct{ Labels map[string]string }
			Spec     podSpec
		}
		Target struct{ Name string } `yaml:"scaleTargetRef"`
	}
}

// TestKubernetesFiles checks that the files refer to each other correctly, that their containers have no more rights
// than they need, and that arena accepts their arguments.
func TestKubernetesFiles(t *testing.T) {
	t.Parallel()
	var workers, run, scaling workload
	deployed(t, "kubernetes/workers.yaml", &workers)
	deployed(t, "kubernetes/run.yaml", &run)
	deployed(t, "kubernetes/scaling.yaml", &scaling)
	var compose struct{ Services map[string]service }
	deployed(t, "compose.yaml", &compose)
	for want, w := range map[string]*workload{"worker": &workers, "run": &run} {
		pod := w.Spec.Template.Spec
		if len(pod.Containers) != 1 || !pod.SecurityContext.NonRoot {
			t.Fatalf("%s: %+v", want, pod)
		}
		c := pod.Containers[0]
		if !c.SecurityContext.ReadOnly || c.SecurityContext.Escalate || !strings.HasPrefix(c.Image, "ghcr.io/arena-evals/arena:") {
			t.Errorf("%s may do more than it needs to: %+v", want, c)
		}
		words := strings.ReplaceAll(strings.Join(c.Args, " "), "broker-nats", "broker")
		if same := strings.Join(compose.Services[want].Command, " "); words != same {
			t.Errorf("%s has the words %q, and %q in compose.yaml", want, words, same)
		}
		for _, m := range c.Mounts {
			if !slices.ContainsFunc(pod.Volumes, func(v struct{ Name string }) bool { return v.Name == m.Name }) {
				t.Errorf("%s mounts %s, which there is not", want, m.Name)
			}
		}
		if keys := len(c.EnvFrom) > 0; keys != (want == "worker") {
			t.Errorf("%s has keys: %t", want, keys)
		}
	}
	if run.Kind != "Job" || run.Spec.Backoff == nil || *run.Spec.Backoff != 0 || run.Spec.Template.Spec.Restart != "Never" {
		t.Errorf("a run that failed is run again: %+v", run.Spec)
	}
	labels := workers.Spec.Selector.Labels
	if workers.Kind != "Deployment" || labels["app"] == "" || labels["app"] != workers.Spec.Template.Metadata.Labels["app"] ||
		scaling.Spec.Target.Name != workers.Metadata.Name {
		t.Errorf("%+v, scaled as %s", workers, scaling.Spec.Target.Name)
	}
	var values struct {
		Config struct {
			JetStream struct {
				Enabled bool
				Files   struct {
					Enabled bool
					PVC     struct{ Enabled bool }
				} `yaml:"fileStore"`
			} `yaml:"jetstream"`
		}
	}
	deployed(t, "kubernetes/broker-values.yaml", &values)
	if js := values.Config.JetStream; !js.Enabled || !js.Files.Enabled || !js.Files.PVC.Enabled {
		t.Errorf("the broker keeps nothing: %+v", values)
	}
}

// heldByBroker counts the jobs and results that a broker holds.
func heldByBroker(t *testing.T, b *natstest.Broker) (n uint64) {
	t.Helper()
	err := (&broker{b}).use(func(ctx context.Context, js jetstream.JetStream) error {
		for _, stream := range []string{"ARENA_TRIALS", "ARENA_TRIALS_RESULTS"} {
			s, err := js.Stream(ctx, stream)
			if err != nil {
				return err
			}
			n += s.CachedInfo().State.Msgs
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
