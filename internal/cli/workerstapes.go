package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/arena-evals/arena/internal/bundle"
	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/dispatch"
	"github.com/arena-evals/arena/internal/fleet"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

// packTapes packs the existing cassettes; nil: none. They change during the run, so they are not part of the project.
func (r *fleetRun) packTapes() (*fleet.Bundle, error) {
	if r.deck == nil {
		return nil, nil
	}
	dir := filepath.Clean(r.deck.Dir)
	if !filepath.IsLocal(dir) || dir == "." {
		return nil, fmt.Errorf("--workers: the recording %s is not in a folder of its own below the working directory\n"+
			"workers get what is below it: go to the folder that holds the project, and name the recording from there",
			r.deck.Dir)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, nil // none yet; errors of the folder are reported when it is locked
	}
	r.tapes = &spooled{}
	packed, err := r.tapes.pack(&bundle.Source{Dir: ".", Paths: []string{dir}, Refuse: refuseSecrets(r.app)})
	if err != nil {
		return nil, fmt.Errorf("--workers: the recording %s: %w", r.deck.Dir, err)
	}
	return &fleet.Bundle{SHA256: packed.SHA256, Size: packed.Size}, nil
}

// spec is the spec of the run for workers.
func (r *fleetRun) spec(f *runFlags) *result.Spec {
	s := f.spec().Scrubbed(r.app.secrets.Text)
	if r.deck != nil && r.deck.RecordAll && s.Record != "" { // as with --last-failed
		s.RecordMode = "all"
	}
	return s
}

// keepTape stores the cassette that a worker recorded, and says why it cannot.
func (r *fleetRun) keepTape(o *fleet.Outcome, of cassette.Trial) error {
	if r.deck == nil || !r.deck.Records() {
		return nil
	}
	tape, err := tapeOf(o)
	switch {
	case err != nil:
		return err
	case tape != nil:
		if r.app.secrets.Set().In([]byte(tape.File)) {
			return errors.New("the cassette that a worker recorded was refused: it holds a secret that arena knows")
		}
		return r.deck.Put(of, tape)
	case r.deck.Has(of):
		return nil // it is there already
	}
	if t, err := result.DecodeLine(o.Line); err != nil || t.Error != "" || t.Status == result.Cancelled || t.Skip != "" {
		return nil // nothing to record, or an error that is reported elsewhere
	}
	return errors.New("the worker sent no cassette of the trial")
}

// keepHeldTape stores the cassette of an outcome for which no coordinator waited.
func (r *fleetRun) keepHeldTape(o *fleet.Outcome) error {
	tape, err := tapeOf(o)
	if err != nil || tape == nil || r.deck == nil {
		return err
	}
	return r.keepTape(o, cassette.Trial{ID: o.Trial, Name: tape.Name})
}

// tapeOf is the cassette in an outcome; nil: none.
func tapeOf(o *fleet.Outcome) (*cassette.Tape, error) {
	p := o.Parts[fleet.TapePart]
	if p == nil {
		return nil, nil
	}
	if p.Error != "" {
		return nil, fmt.Errorf("the cassette of the trial did not come back: %s", p.Error)
	}
	tape := &cassette.Tape{}
	if err := dispatch.DecodeStrictly(p.Data, tape); err != nil {
		return nil, fmt.Errorf("the cassette of the trial cannot be read: %w", err)
	}
	return tape, nil
}

// takeTape takes the cassette of a trial, to send it; nil: none. The coordinator reports an unreadable one as missing.
func takeTape(single *runner.Single, deck *cassette.Folder, index int) []byte {
	t, err := single.Name(index)
	if deck == nil || err != nil {
		return nil
	}
	tape, err := deck.Take(t.Cassette)
	if err != nil || tape == nil {
		return nil
	}
	data, err := json.Marshal(tape)
	if err != nil {
		return nil
	}
	return data
}
