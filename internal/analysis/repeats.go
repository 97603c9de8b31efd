package analysis

import (
	"encoding/json"

	"github.com/arena-evals/arena/internal/result"
)

// repeats are the calls of a trial that it has several times, in the order in which they come up.
func repeats(t *result.Trial) (list []Repeat) {
	type call struct{ tool, arguments string }
	at := map[call]int{}
	var all []Repeat
	for i := range t.Turns {
		for k := range t.Turns[i].ToolCalls {
			c := &t.Turns[i].ToolCalls[k]
			arguments, err := json.Marshal(c.Args)
			if err != nil || c.Args == nil {
				arguments = []byte("{}")
			}
			if c.BadArgs != "" { // what the model wrote instead of JSON
				arguments = []byte(c.BadArgs)
			}
			key := call{c.Name, string(arguments)}
			n, known := at[key]
			if !known {
				n = len(all)
				at[key] = n
				all = append(all, Repeat{Tool: c.Name, Arguments: key.arguments})
			}
			all[n].Times++
			if c.Error != "" {
				all[n].Failed++
			}
		}
	}
	for i := range all {
		if all[i].Times > 1 {
			list = append(list, all[i])
		}
	}
	return list
}
