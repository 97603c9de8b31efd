package cli

import (
	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/result"
)

// mockFlags make mock replies answer instead of models.
type mockFlags struct {
	mock       bool
	mockConfig string
}

func (f *mockFlags) register(fl *pflag.FlagSet) {
	fl.BoolVar(&f.mock, "mock-provider", false, "answer for every provider from mock replies, without any network")
	fl.StringVar(&f.mockConfig, "mock-config", "",
		"mock reply `file`; wins over the providers' own and over mock: of turns")
}

// mocked reports whether mock replies answer for every provider.
func (f *mockFlags) mocked() bool { return f.mock || f.mockConfig != "" }

func (f *mockFlags) toSpec(s *result.Spec) { s.MockProvider, s.MockConfig = f.mock, f.mockConfig }

func (f *mockFlags) recall(g givenFlags, then *result.Spec) {
	recallValue(g, "mock-provider", &f.mock, then.MockProvider)
	recallValue(g, "mock-config", &f.mockConfig, then.MockConfig)
}
