package harness

import (
	"fmt"
	"os"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/providers/cache"
)

// CheckCache checks that replies can be written to a cache. It leaves no files there. store may be nil.
func CheckCache(store *cache.Store) error {
	if store == nil {
		return nil
	}
	_, missing := os.Stat(store.Dir)
	if err := WritableDir(store.Dir); err != nil {
		return fmt.Errorf("%w\nno reply could be kept there: name another folder, or leave the cache out", err)
	}
	if missing != nil {
		_ = os.Remove(store.Dir) // it is created again for the first reply; fails if it is not empty any more
	}
	return nil
}

// CacheWarnings returns a warning if replies could not be written to a cache.
func CacheWarnings(store *cache.Store) []diag.Diagnostic {
	n, why := store.Unkept()
	if n == 0 {
		return nil
	}
	return []diag.Diagnostic{{Severity: diag.Warning, Code: "not-cached", Msg: fmt.Sprintf(
		"%s could not be kept in the cache %s, and will be paid for again: %v", plural.Of(n, "reply", "replies"), store.Dir,
		why)}}
}
