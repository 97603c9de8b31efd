package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/plainfile"
)

// Vectors are files of vectors, sorted by topic.
type Vectors struct {
	Checks []string // names of the files about checks; ReadVectors reads them
	topics []topicFile
}

type topicFile struct {
	file    string
	Topic   string            `json:"topic"`
	About   string            `json:"about"`
	Vectors []json.RawMessage `json:"vectors"`
}

// Read finds vector files; of a directory those that end in .json, in order of their paths. A file with a topic is
// about the machinery, any other one about a check.
func Read(paths ...string) (*Vectors, error) {
	v := &Vectors{}
	for _, path := range paths {
		names, err := VectorPaths(path)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if err := v.add(name); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

func (v *Vectors) add(name string) error {
	data, err := plainfile.Read(name)
	if err != nil {
		return err
	}
	f := topicFile{file: name}
	// The other reader reports invalid JSON.
	if json.Unmarshal(data, &f) != nil || f.Topic == "" {
		v.Checks = append(v.Checks, name)
		return nil
	}
	if len(f.Vectors) == 0 {
		return fmt.Errorf("%s: it holds no vectors", name)
	}
	v.topics = append(v.topics, f)
	return nil
}

// Run runs the vectors of the topics and adds the results to a. Unknown topics are reported as skipped.
func (v *Vectors) Run(ctx context.Context, topics []Topic, a *Agreement) {
	for i := range v.topics {
		f := &v.topics[i]
		at := slices.IndexFunc(topics, func(t Topic) bool { return t.Name == f.Topic })
		if at < 0 {
			a.Skipped = append(a.Skipped, SkippedVectors{
				Type: f.Topic, Count: len(f.Vectors), Reason: "not available yet",
			})
			continue
		}
		agree := 0
		for j, raw := range f.Vectors {
			r := topics[at].judge(ctx, raw)
			if len(r.want) == 0 {
				agree++
				continue
			}
			a.Disagreements = append(a.Disagreements, Disagreement{
				File: f.file, Vector: nameOf(raw, j), Want: strings.Join(r.want, ", "), Got: strings.Join(r.got, ", "),
			})
		}
		a.Agree += agree
		a.Total += len(f.Vectors)
		a.topics = append(a.topics, fmt.Sprintf("%s: %d/%d vectors agree", f.Topic, agree, len(f.Vectors)))
	}
}

func nameOf(raw json.RawMessage, i int) string {
	var v struct{ Name string }
	if json.Unmarshal(raw, &v) != nil || v.Name == "" {
		return fmt.Sprintf("vector %d", i+1)
	}
	return v.Name
}

// Topic is a kind of vectors about the parts around the checks, such as guardrails and sampling.
type Topic struct {
	Name  string
	judge func(ctx context.Context, raw json.RawMessage) *Report
}

// NewTopic makes a topic whose vectors are decoded into V; unknown fields are a disagreement. judge runs a vector and
// reports the expected and the actual result. An error says that it could not be run.
func NewTopic[V any](name string, judge func(ctx context.Context, v *V, r *Report) error) Topic {
	return Topic{name, func(ctx context.Context, raw json.RawMessage) *Report {
		r := &Report{}
		var v V
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		err := dec.Decode(&v)
		if err == nil {
			err = judge(ctx, &v, r)
		}
		if err == nil && r.asked == 0 {
			err = errNothing
		}
		if err != nil {
			r.differ("a vector that can be run", err.Error())
		}
		return r
	}}
}

var errNothing = errors.New("it expects nothing")

// Head is the part that all vectors have.
type Head struct {
	Name   string `json:"name"`
	Source string `json:"source"`
}

// Report collects the failed expectations of one vector.
type Report struct {
	asked     int
	want, got []string
}

func (r *Report) differ(want, got string) {
	r.want, r.got = append(r.want, want), append(r.got, got)
}

// That reports a fact under its name. A nil want is not asked for.
func That[T comparable](r *Report, name string, want *T, got T) {
	if want == nil {
		return
	}
	r.asked++
	if *want != got {
		r.differ(fmt.Sprintf("%s %s", name, text(*want)), fmt.Sprintf("%s %s", name, text(got)))
	}
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// Near reports a number under its name, with the tolerance that scores have in vectors. A nil want is not asked for.
func Near(r *Report, name string, want *float64, got float64) {
	if want != nil && got > *want-tolerance && got < *want+tolerance {
		got = *want
	}
	That(r, name, want, got)
}

const tolerance = 1e-6
