package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
)

// Recounted says what a trial that is kept is in the run that keeps it: one of more or fewer than when it was run, or
// one with another number, or one that the plan has no more. Its line in the journal stays as it was written.
type Recounted struct {
	Index   int    `json:"index"` // in the plan
	ID      string `json:"id"`
	Trial   int    `json:"trial,omitempty"` // its number; 0: as it was
	Trials  int    `json:"trials"`          // of its group
	Gone    bool   `json:"gone,omitempty"`
	Excused bool   `json:"excused,omitempty"`
}

// Recount makes the trial of an entry the one with that number of so many, for whoever reads it from now on and in a
// journal that keeps it.
func (e *Entry) Recount(id string, number, trials int) {
	e.become(&Recounted{ID: id, Trial: number, Trials: trials})
}

// Leave makes the trial of an entry one that the plan has no more, in the same way. Excused says that its failure was
// tolerated.
func (e *Entry) Leave(excused bool) {
	e.become(&Recounted{ID: e.ID, Trials: e.Trials, Gone: true, Excused: excused})
}

func (e *Entry) become(as *Recounted) {
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

// in puts it into the JSON of a trial, of which everything else stays as it is.
func (r *Recounted) in(raw []byte) ([]byte, error) {
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
