package judges

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// reserved are the parts of a request that a check must not set: the model, the messages, and how the reply is sent.
var reserved = []string{"messages", "model", "stream", "stream_options", "tools", "tool_choice", "n"}

// apply adds the check's extra parameters to the request. A parameter that a check sets is never left out, even if the
// server refuses it.
func (c *call) apply(extra jsonvalue.Object) error {
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if err := c.set(name, extra[name]); err != nil {
			return fmt.Errorf("extra: %w", err)
		}
	}
	return nil
}

func (c *call) set(name string, v any) (err error) {
	switch name {
	case "temperature":
		c.optional &^= withTemperature
		c.req.Temperature, err = number(name, v)
	case "top_p":
		c.req.TopP, err = number(name, v)
	case "seed":
		c.optional &^= withSeed
		c.req.Seed, err = wholeNumber(name, v)
	case "max_tokens", "max_completion_tokens":
		c.optional &^= withMaxTokens
		c.req.MaxTokens, err = count(name, v)
	case "response_format":
		c.optional &^= withSchema
		c.req.JSONSchema = nil
		c.setExtra(name, v)
	default:
		if slices.Contains(reserved, strings.ToLower(name)) {
			return fmt.Errorf("%s cannot be set for a judge", name)
		}
		c.setExtra(name, v)
	}
	return err
}

// setExtra adds a parameter that the provider gets unchanged.
func (c *call) setExtra(name string, v any) {
	if c.req.Extra == nil {
		c.req.Extra = jsonvalue.Object{}
	}
	c.req.Extra[name] = v
}

// number reads a number. It returns nil for null: the provider uses its own default.
func number(name string, v any) (*float64, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil //nolint:nilnil // null is a value here
	case int:
		return new(float64(v)), nil
	case int64:
		return new(float64(v)), nil
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return &v, nil
		}
	case json.Number:
		if f, err := v.Float64(); err == nil {
			return &f, nil
		}
	}
	return nil, fmt.Errorf("%s must be a number, found %v", name, v)
}

// count reads a whole number above 0.
func count(name string, v any) (*int, error) {
	n, err := wholeNumber(name, v)
	switch {
	case err != nil || n == nil:
		return nil, err
	case *n < 1 || *n > math.MaxInt32:
		return nil, fmt.Errorf("%s must be between 1 and %d, found %d", name, math.MaxInt32, *n)
	}
	return new(int(*n)), nil
}

func wholeNumber(name string, v any) (*int64, error) {
	if n, ok := v.(json.Number); ok {
		if i, err := n.Int64(); err == nil {
			return &i, nil
		}
	}
	if i, ok := v.(int64); ok {
		return &i, nil
	}
	f, err := number(name, v)
	if err != nil || f == nil {
		return nil, err
	}
	if *f != math.Trunc(*f) || math.Abs(*f) > 1<<53 {
		return nil, fmt.Errorf("%s must be a whole number, found %v", name, v)
	}
	return new(int64(*f)), nil
}
