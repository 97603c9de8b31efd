package checks

import "sync"

// cache stores values that were built from a text, and failures. Its zero value is ready, and it is safe for concurrent
// use. Two callers may build the value of a new text at the same time; one of the results is kept.
type cache[V any] struct {
	mu   sync.RWMutex
	seen map[string]built[V]
}

type built[V any] struct {
	v   V
	err error
}

func (c *cache[V]) get(text string, build func(string) (V, error)) (V, error) {
	c.mu.RLock()
	b, ok := c.seen[text]
	c.mu.RUnlock()
	if ok {
		return b.v, b.err
	}
	v, err := build(text)
	c.mu.Lock()
	defer c.mu.Unlock()
	if b, ok := c.seen[text]; ok {
		return b.v, b.err
	}
	if c.seen == nil {
		c.seen = map[string]built[V]{}
	}
	c.seen[text] = built[V]{v, err}
	return v, err
}
