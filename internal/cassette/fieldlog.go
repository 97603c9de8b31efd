package cassette

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// fieldLog collects the names of JSON fields in the texts of a run, in lower case. It is safe for concurrent use. A nil
// log collects nothing.
type fieldLog struct {
	mu   sync.Mutex
	seen map[string]bool
}

// maxFieldNames limits a log: documents may have ids as keys. Names of fields to redact are added beyond the limit.
const maxFieldNames = 10000

func (l *fieldLog) note(name string, wanted bool) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	if wanted || len(l.seen) < maxFieldNames {
		l.seen[name] = true
	}
}

// Claims returns, for each field to redact, the claim that some text of the run had a field of that name.
func (d *Folder) Claims() (list []result.Claim) {
	if d == nil {
		return nil
	}
	d.fields.mu.Lock()
	defer d.fields.mu.Unlock()
	known := slices.Sorted(maps.Keys(d.fields.seen))
	for i, name := range d.Redact {
		c := result.Claim{
			Key: "--redact " + name, Order: afterPlan + i, Met: d.fields.seen[strings.ToLower(name)],
		}
		if c.Met {
			list = append(list, c)
			continue
		}
		w := diag.Diagnostic{
			Severity: diag.Warning, Code: "never-named",
			Msg: fmt.Sprintf("--redact %s: nothing in the run had a field of that name", name),
		}
		if near := diag.DidYouMean(strings.ToLower(name), known); near != "" {
			w.Msg += " (" + near + ")"
			c.Evidence = 1
		}
		c.Warning, c.Unmet = w, w.Advice()
		list = append(list, c)
	}
	return list
}

// afterPlan is the order of the first claim after those of a plan.
const afterPlan = 1 << 30
