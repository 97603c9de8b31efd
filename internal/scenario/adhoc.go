package scenario

import (
	"cmp"
	"strings"
)

// DefaultGroup is the group of providers and scenarios that name no group.
const DefaultGroup = "default"

// DefaultRegion is the region of trials without a requested region.
const DefaultRegion = "default"

// MockType is the type of providers that take their replies from files.
const MockType = "mock"

// ReplayType is the type of providers that take their replies from a recording.
const ReplayType = "replay"

// AdHoc makes a provider of "type/model" or "mock"; nil for any other name.
func AdHoc(name string) *Provider {
	kind, model, slash := strings.Cut(name, "/")
	if !ProviderTypeOf(kind).AdHoc || !slash && kind != MockType || slash && model == "" {
		return nil
	}
	return &Provider{Meta: Meta{ID: name}, Type: kind, Model: cmp.Or(model, MockType), Role: "llm", Group: DefaultGroup}
}
