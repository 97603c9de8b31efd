package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
)

// Recounted is a change to a trial that a resumed run keeps: its number, the size of its group, or that it is no longer
// in the plan. Its line in the journal stays unchanged.
type Recounted struct {
	Index   int    `json:"index"` // in the plan
	ID      string `json:"id"`
	Trial   int    `json:"trial,omitempty"` // its new number; 0: unchanged
	Trials  int    `json:"trials"`          // of its group
	Gone    bool   `json:"gone,omitempty"`
	Excused bool   `json:"excused,omitempty"`
}

// Recount changes the number of a trial and the size of its group. Readers see the new numbers; a journal that keeps
// the trial records them.
func (e *Entry) Recount(id string, number, trials int) {
	e.recountAs(&Recounted{ID: id, Trial: number, Trials: trials})
}

// Unplan marks a trial that is no longer in the plan; see Recount. excused: its group tolerated its failure.
func (e *Entry) Unplan(excused bool) {
	e.recountAs(&Recounted{ID: e.ID, Trials: e.Trials, Gone: true, Excused: excused})
}

func (e *Entry) recountAs(as *Recounted) {
	e.ID, e.Trials, e.Gone = as.ID, as.Trials, as.Gone
	if as.Trial > 0 {
		e.Number = as.Trial
	}
	e.trial.as = as
}

const (
	goneKey    = `{"gone":true,`
	excusedKey = `"excused":true,`
)

// applyTo changes the JSON of a trial, and keeps all other fields.
func (r *Recounted) applyTo(raw []byte) ([]byte, error) {
	var id bytes.Buffer
	enc := json.NewEncoder(&id)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r.ID); err != nil {
		return nil, err
	}
	values := map[string][]byte{"id": bytes.TrimSpace(id.Bytes()), "trials": strconv.AppendInt(nil, int64(r.Trials), 10)}
	if r.Trial > 0 {
		values["trial"] = strconv.AppendInt(nil, int64(r.Trial), 10)
	}
	var out []byte
	done := 0
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	for len(values) > 0 && dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var was json.RawMessage
		if err := dec.Decode(&was); err != nil {
			return nil, err
		}
		name, _ := key.(string)
		if now, found := values[name]; found {
			end := int(dec.InputOffset())
			out = slices.Concat(out, raw[done:end-len(was)], now)
			done = end
			delete(values, name)
		}
	}
	if len(values) > 0 {
		return nil, errors.New("the trial has no id and number")
	}
	out = append(out, raw[done:]...)
	if r.Gone {
		mark := goneKey
		if r.Excused {
			mark += excusedKey
		}
		out = append([]byte(mark), out[1:]...)
	}
	return out, nil
}
