package jsonout

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/arena-evals/arena/internal/result"
)

// ErrNotResults is the error of a file that is not a results.json.
var ErrNotResults = errors.New("not a results.json of arena")

// errEdited is the error of a file whose summary and trials disagree.
var errEdited = errors.New("the file was edited or merged")

// Read reads a run from a results.json. It takes the statuses of trials from the file, and computes the totals, the
// groups and the status of the run again. The trials are kept in memory as JSON.
func Read(r io.Reader) (*result.Run, error) {
	rd := reader{dec: json.NewDecoder(r), header: map[string]json.RawMessage{}}
	if err := rd.document(); err != nil {
		return nil, describe(err, rd.dec.InputOffset())
	}
	return rd.run()
}

// describe explains an error of the decoder. at is the offset of the error in bytes.
func describe(err error, at int64) error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return fmt.Errorf("the file is cut short after %d bytes: %w", at, io.ErrUnexpectedEOF)
	case errors.As(err, &syntax):
		return fmt.Errorf("the file is corrupt after %d bytes: %w", at, err)
	}
	return err
}

type reader struct {
	dec       *json.Decoder
	header    map[string]json.RawMessage // all but the trials
	trials    trials
	collector result.Collector
	hasTrials bool
}

func (rd *reader) document() error {
	start, err := rd.dec.Token()
	if err != nil {
		return err
	}
	if start != json.Delim('{') {
		return ErrNotResults
	}
	for rd.dec.More() {
		if err := rd.member(); err != nil {
			return err
		}
	}
	if _, err := rd.dec.Token(); err != nil { // the closing brace
		return err
	}
	if _, err := rd.dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON document")
	}
	return nil
}

func (rd *reader) member() error {
	key, err := rd.dec.Token()
	if err != nil {
		return err
	}
	name, ok := key.(string)
	if !ok {
		return ErrNotResults
	}
	if name == "runs" {
		return rd.runs()
	}
	var value json.RawMessage
	if err := rd.dec.Decode(&value); err != nil {
		return err
	}
	rd.header[name] = value
	if name == "schema_version" {
		return rd.version()
	}
	return nil
}

// version refuses a schema version that this arena cannot read.
func (rd *reader) version() error {
	var version int
	raw, ok := rd.header["schema_version"]
	if !ok || json.Unmarshal(raw, &version) != nil {
		return fmt.Errorf("%w: schema_version is not a number", ErrNotResults)
	}
	if version != result.SchemaVersion {
		return fmt.Errorf("the file has schema_version %d; this arena reads version %d", version, result.SchemaVersion)
	}
	return nil
}

func (rd *reader) runs() error {
	if rd.hasTrials {
		return fmt.Errorf("%w: it has \"runs\" twice", ErrNotResults)
	}
	rd.hasTrials = true
	if err := rd.gates(); err != nil {
		return err
	}
	start, err := rd.dec.Token()
	if err != nil {
		return err
	}
	if start != json.Delim('[') {
		return fmt.Errorf("%w: \"runs\" is not a list", ErrNotResults)
	}
	for rd.dec.More() {
		var raw json.RawMessage
		if err := rd.dec.Decode(&raw); err != nil {
			return err
		}
		if err := rd.trial(raw); err != nil {
			return fmt.Errorf("runs[%d]: %w", len(rd.trials), err)
		}
	}
	_, err = rd.dec.Token()
	return err
}

func (rd *reader) trial(raw json.RawMessage) error {
	compact := bytes.NewBuffer(make([]byte, 0, len(raw)))
	if err := json.Compact(compact, raw); err != nil {
		return err
	}
	t, err := result.DecodeTrial(compact.Bytes(), len(rd.trials))
	if err != nil {
		return err
	}
	if t.ID == "" || t.Status == result.Unset {
		return errors.New("a trial without id or status")
	}
	if err := t.CheckComplete(); err != nil {
		return fmt.Errorf("the trial %s is damaged: %w", t.ID, err)
	}
	if err := t.CheckConsistency(compact.Bytes()); err != nil {
		return fmt.Errorf("the trial %s %w: %w", t.ID, err, errEdited)
	}
	rd.trials = append(rd.trials, compact.Bytes())
	rd.collector.Add(t)
	return nil
}

// gates passes the groups that may have ended early to the collector, before the trials.
func (rd *reader) gates() error {
	var groups []result.Group
	if raw := rd.header["groups"]; raw != nil {
		if err := json.Unmarshal(raw, &groups); err != nil {
			return fmt.Errorf("%w: groups: %w", ErrNotResults, err)
		}
	}
	rd.collector.Gate(result.Gated(groups))
	return nil
}

// run joins the header and the trials.
func (rd *reader) run() (*result.Run, error) {
	if err := rd.version(); err != nil {
		return nil, err
	}
	if !rd.hasTrials {
		return nil, fmt.Errorf("%w: \"runs\" is missing", ErrNotResults)
	}
	head, err := json.Marshal(rd.header)
	if err != nil {
		return nil, err
	}
	run, err := result.DecodeRun(head)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotResults, err)
	}
	written := run.Summary
	rd.collector.Finish(run)
	if written.Trials != run.Summary.Trials {
		return nil, fmt.Errorf("%d trials in the summary, %d in \"runs\"; they do not belong together: %w",
			written.Trials, run.Summary.Trials, errEdited)
	}
	was, now := written.Counts, run.Summary.Counts
	// otherwise the run records no status
	if was != now && was.Passed+was.Failed+was.Errors+was.Skipped+was.Cancelled > 0 {
		return nil, fmt.Errorf("the summary has %s, \"runs\" %s; they do not belong together: %w",
			countsText(was), countsText(now), errEdited)
	}
	run.Trials = rd.trials
	return run, nil
}

func countsText(c result.Counts) string {
	return fmt.Sprintf("%d passed, %d failed, %d errors, %d skipped, %d cancelled",
		c.Passed, c.Failed, c.Errors, c.Skipped, c.Cancelled)
}

// trials is a result.Source over the JSON of a run's trials.
type trials []json.RawMessage

// Raw implements result.Source.
func (s trials) Raw(i int) ([]byte, error) {
	if i < 0 || i >= len(s) {
		return nil, fmt.Errorf("there is no trial %d; the run has %d", i, len(s))
	}
	return s[i], nil
}

// Trial implements result.Source.
func (s trials) Trial(i int) (*result.Trial, error) {
	raw, err := s.Raw(i)
	if err != nil {
		return nil, err
	}
	return result.DecodeTrial(raw, i)
}
