package result

import (
	"slices"
	"testing"
)

func TestLeavesOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		spec  Spec
		group string
		want  []string
	}{
		{Spec{Scenarios: []string{"sure"}}, "sure/mock/default", nil},
		{Spec{Scenarios: []string{"sure"}}, "fair/mock/default", []string{"--scenario", "sure"}},
		{Spec{Scenarios: []string{"sure,fair"}}, "shop:fair/mock/default", nil},
		{Spec{Scenarios: []string{"su*"}}, "sure/mock/default", []string{"--scenario", "su*"}},
		{Spec{Providers: []string{"ollama/llama"}}, "fair/ollama/llama/default", nil},
		{Spec{Providers: []string{"mock"}}, "fair/gpt/default", []string{"--provider", "mock"}},
		{Spec{Regions: []string{"eu"}}, "fair/gpt/us", []string{"--region", "eu"}},
		{Spec{Regions: []string{"eu"}}, "fair/gpt/eu[r1]", nil},
		{Spec{Rows: []string{"r1"}}, "fair/gpt/eu[r2]", []string{"--rows", "r1"}},
		{Spec{Rows: []string{"r1"}}, "fair/gpt/eu", []string{"--rows", "r1"}},
		{Spec{Sample: 3}, "fair/gpt/eu", nil},
		{Spec{Tags: []string{"smoke"}}, "fair/gpt/eu", []string{"--tag", "smoke"}},
		{Spec{MockConfig: "m.yaml", SkipEvals: true, Trials: 3}, "fair/gpt/eu", nil},
	} {
		if got := c.spec.LeavesOut(c.group); !slices.Equal(got, c.want) {
			t.Errorf("%+v and %s: %q, want %q", c.spec, c.group, got, c.want)
		}
	}
}
