package result

import (
	"fmt"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// NotNeeded is why a part of a combined check was not asked that could not change the outcome any more.
const NotNeeded = "not needed"

// conditional is what is known of the assertions of a run that did not apply where they were asked, as those with a
// when whose calls did not come, and of such parts of combined checks.
type conditional struct {
	applied map[conditionalCheck]bool
	idle    map[conditionalCheck]idleCheck
	failed  bool // a trial did not pass, which may be why a check did not apply
}

// conditionalCheck is an assertion at a place in a file, or a part of it; the parts within each other have numbers from
// 1.
type conditionalCheck struct {
	pos  diag.Pos
	part string
}

// idleCheck is what a check that did not apply is called, and why it did not.
type idleCheck struct {
	name, why string
	trials    int
}

func (c *conditional) add(t *Trial) {
	c.failed = c.failed || t.Status != Passed
	t.Checks(func(_, _ int, v *Verdict) {
		at := conditionalCheck{pos: v.Position}
		switch {
		case v.Status != Skipped:
			c.applies(at)
			c.parts(at, v.Name(), v.Details)
		case v.Passed: // what was not asked for another reason did not pass
			c.skips(at, v.Name(), v.SkipReason)
		}
	})
}

func (c *conditional) applies(at conditionalCheck) {
	if c.applied == nil {
		c.applied = map[conditionalCheck]bool{}
	}
	c.applied[at] = true
}

func (c *conditional) skips(at conditionalCheck, name, why string) {
	if c.applied[at] || c.failed {
		return
	}
	if c.idle == nil {
		c.idle = map[conditionalCheck]idleCheck{}
	}
	trials := c.idle[at].trials + 1
	c.idle[at] = idleCheck{name, why, trials}
}

// parts adds those of a combined check, which are in its details.
func (c *conditional) parts(whole conditionalCheck, name string, details map[string]any) {
	for i, part := range objects(details["checks"]) {
		status, _ := part["status"].(string)
		kind, _ := part["type"].(string)
		why, _ := part["skip_reason"].(string)
		inner, _ := part["details"].(map[string]any)
		at := conditionalCheck{whole.pos, fmt.Sprintf("%s.%d", whole.part, i+1)}
		switch {
		case status == "":
			return
		case status != Skipped.String():
			c.applies(at)
			c.parts(at, kind+" within "+name, inner)
		case why != NotNeeded:
			c.skips(at, kind+" within "+name, why)
		}
	}
}

// objects are the objects of a list, as a check made it or as JSON.
func objects(v any) []jsonvalue.Object {
	if list, ok := v.([]jsonvalue.Object); ok {
		return list
	}
	list, _ := v.([]any)
	all := make([]jsonvalue.Object, 0, len(list))
	for _, item := range list {
		if one, ok := item.(jsonvalue.Object); ok {
			all = append(all, one)
		}
	}
	return all
}

// notices say which checks applied nowhere in a run whose trials all passed, each with the number of trials. Nothing
// may be wrong with them: they say what would have to hold.
func (c *conditional) notices() map[string]int {
	if c.failed {
		return nil
	}
	all := map[string]int{}
	for at, one := range c.idle {
		if !c.applied[at] {
			all[fmt.Sprintf("%s: %s tested nothing, as it never applied: %s", at.pos, one.name, one.why)] += one.trials
		}
	}
	return all
}
