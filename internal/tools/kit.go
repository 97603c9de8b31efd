package tools

import (
	"errors"
	"fmt"
	"sync"
)

// Kit is the tools of a project: those that its files describe, compiled once, and the sources of the others. It keeps
// the sources that trials share. It is safe for concurrent use.
type Kit struct {
	*Registry
	listing []*Opener // of sources that are asked for their tools
	scoped  bool      // some sources belong to a scenario

	mu      sync.Mutex
	open    map[shared]Source
	left    map[string]int     // trials that a scenario still has
	schemas map[string]*schema // of tools that were listed, by their text
}

// shared is a source that several trials have.
type shared struct {
	opener   *Opener
	scenario string // "": of the run
}

// NewKit makes the tools of a project out of those that its files describe and of sources that list theirs.
func NewKit(declared *Registry, listing ...*Opener) *Kit {
	k := &Kit{Registry: declared, listing: listing}
	for _, o := range listing {
		k.scoped = k.scoped || o.Scope == PerScenario
	}
	return k
}

// Scoped reports whether a source belongs to a scenario, so that its trials are to be announced.
func (k *Kit) Scoped() bool { return k.scoped }

// Box is the tools of one trial of a scenario. Nothing is started by it.
func (k *Kit) Box(scenario string) Box { return Box{kit: k, scenario: scenario} }

// Expect announces trials of a scenario; each must end in one Done. It matters only for a Scoped kit.
func (k *Kit) Expect(scenario string, trials int) {
	if !k.scoped {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.left == nil {
		k.left = map[string]int{}
	}
	k.left[scenario] += trials
}

// Done closes the sources of a scenario with the last of its trials.
func (k *Kit) Done(scenario string) error {
	if !k.scoped {
		return nil
	}
	return closeAll(k.last(scenario))
}

// last takes out the sources of a scenario that has no more trials.
func (k *Kit) last(scenario string) (over []opened) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.left[scenario]--; k.left[scenario] > 0 {
		return nil
	}
	delete(k.left, scenario)
	for key, s := range k.open {
		if key.scenario == scenario && key.opener.Scope == PerScenario {
			over = append(over, opened{key.opener, s})
			delete(k.open, key)
		}
	}
	return over
}

// Close ends all that trials share. The kit can still be used, and opens it again.
func (k *Kit) Close() error {
	k.mu.Lock()
	var all []opened
	for key, s := range k.open {
		all = append(all, opened{key.opener, s})
	}
	k.open, k.left = nil, nil
	k.mu.Unlock()
	return closeAll(all)
}

// source is what trials of a scenario share.
func (k *Kit) source(o *Opener, scenario string) Source {
	key := shared{opener: o}
	if o.Scope == PerScenario {
		key.scenario = scenario
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.open[key]
	if s == nil {
		if k.open == nil {
			k.open = map[shared]Source{}
		}
		s = o.Open()
		k.open[key] = s
	}
	return s
}

// schemaOf compiles the schema of a listed tool, once for all trials.
func (k *Kit) schemaOf(raw []byte) *schema {
	k.mu.Lock()
	defer k.mu.Unlock()
	known, ok := k.schemas[string(raw)]
	if !ok {
		var err error
		if known, err = compileSchema(raw); err != nil {
			known = brokenSchema(raw, err)
		}
		if k.schemas == nil {
			k.schemas = map[string]*schema{}
		}
		k.schemas[string(raw)] = known
	}
	return known
}

type opened struct {
	opener *Opener
	source Source
}

// closeAll closes sources at once: each may take its time.
func closeAll(all []opened) error {
	if len(all) == 0 {
		return nil
	}
	problems := make([]error, len(all))
	var closing sync.WaitGroup
	for i, o := range all {
		closing.Go(func() {
			if err := o.source.Close(); err != nil {
				problems[i] = fmt.Errorf("%s: %w", o.opener.Name, err)
			}
		})
	}
	closing.Wait()
	return errors.Join(problems...)
}
