package harness

import (
	"fmt"
	"os"
	"path/filepath"

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

// CacheWarnings returns a warning if replies could not be written to a cache, or were removed from it since.
func CacheWarnings(store *cache.Store) (list []diag.Diagnostic) {
	if n, why := store.Unkept(); n > 0 {
		list = append(list, diag.Diagnostic{Severity: diag.Warning, Code: "not-cached", Msg: fmt.Sprintf(
			"%s could not be kept in the cache %s, and will be paid for again: %v", plural.Of(n, "reply", "replies"), store.Dir,
			why)})
	}
	if path := store.Gone(); path != "" {
		list = append(list, diag.Diagnostic{Severity: diag.Warning, Code: "not-cached", Msg: fmt.Sprintf(
			"somebody removed replies from the cache %s while the run went on, and they will be paid for again: %s is gone",
			store.Dir, filepath.ToSlash(path))})
	}
	return list
}
