// Package shop is a module of its own that tests its agent with arena.
package shop

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/arena-evals/arena"
)

// Checks are those that the scenarios of the shop use beside arena's.
func Checks() (*arena.Registry, error) {
	registry := &arena.Registry{}
	info := arena.CheckInfo{
		Name: "price", Aliases: []string{"costs"}, Summary: "The reply names a price that is not too high.", Blocks: true,
	}
	if err := arena.Register(registry, info, newPrice); err != nil {
		return nil, err
	}
	return registry, nil
}

// Seller is an agent that knows what some articles cost.
type Seller struct{ Prices map[string]float64 }

// Answer implements arena.Agent.
func (a *Seller) Answer(_ context.Context, req *arena.Request, _ func(string) error) (*arena.Reply, error) {
	last := req.Messages[len(req.Messages)-1]
	for article, euros := range a.Prices {
		if strings.Contains(last.Text, article) {
			return &arena.Reply{Text: fmt.Sprintf("The %s costs %.2f EUR.", article, euros)}, nil
		}
	}
	return &arena.Reply{Text: "We do not sell that."}, nil
}

type priceParams struct {
	Currency string  `param:"currency,required" words:"EUR,USD" doc:"In which the price must be."`
	Most     float64 `param:"most" default:"100" above:"0" doc:"The highest price."`
}

func newPrice(p priceParams) (arena.Check, error) {
	pattern := regexp.MustCompile(`(\d+(?:\.\d+)?) ` + p.Currency)
	return arena.CheckFunc(func(_ context.Context, s *arena.Subject) (arena.Finding, error) {
		found := pattern.FindStringSubmatch(s.Reply)
		if found == nil {
			return arena.Fail("no price in " + p.Currency), nil
		}
		price, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			return arena.Finding{}, err
		}
		details := map[string]any{"expected": fmt.Sprintf("at most %v", p.Most), "got": price}
		if price > p.Most {
			return arena.Finding{Explanation: found[0] + " is too much", Details: details}, nil
		}
		return arena.Finding{Score: 1, Explanation: found[0], Details: details}, nil
	}), nil
}
