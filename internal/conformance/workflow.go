package conformance

import (
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// workflow takes the state of a workflow from the metadata. The format always has a workflow; omitted values are
// unknown.
func (c *vectorContext) workflow() *checks.Workflow {
	w := &checks.Workflow{}
	w.Current, _ = c.Metadata["workflow_current_state"].(string)
	w.Complete, _ = c.Metadata["workflow_complete"].(bool)
	list, _ := c.Metadata["workflow_transitions"].([]any)
	for _, item := range list {
		fields, _ := item.(jsonvalue.Object)
		t := checks.Transition{Turn: -1}
		t.From, _ = fields["from"].(string)
		t.To, _ = fields["to"].(string)
		t.Event, _ = fields["event"].(string)
		if turn, ok := jsonvalue.Float(fields["turn_index"]); ok {
			t.Turn = int(turn)
		}
		w.Transitions = append(w.Transitions, t)
	}
	return w
}

// composition takes what the steps of a composition gave from the metadata, in the same way.
func (c *vectorContext) composition() *checks.Composition {
	return &checks.Composition{
		Outputs: c.texts("composition_step_outputs"), Branches: c.texts("composition_branch_taken"),
		Parallels: c.texts("composition_parallel_status"),
	}
}

// texts is a map in the metadata; values that are not text become JSON.
func (c *vectorContext) texts(key string) map[string]string {
	fields, _ := c.Metadata[key].(jsonvalue.Object)
	texts := make(map[string]string, len(fields))
	for name, v := range fields {
		texts[name] = jsonvalue.Text(v)
	}
	return texts
}
