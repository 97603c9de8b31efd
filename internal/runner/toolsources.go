package runner

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/tools"
)

// refreshTools asks the tool sources that the prompt may use for their tools. The list may change from turn to turn.
func (s *session) refreshTools(ctx context.Context) error {
	allowed, some := s.allowed()
	if !some {
		return nil
	}
	if listing := s.box.Listing(allowed); len(listing) > 0 {
		if err := s.list(ctx, len(s.out.Turns)-1, listing); err != nil {
			return err
		}
		if err := s.checkServed(false); err != nil {
			return err
		}
		s.offerAgain()
	}
	return nil
}

// list asks sources for their tools and stores them in the box. It asks concurrently, because a source may have to
// start.
func (s *session) list(ctx context.Context, turn int, from []*tools.Opener) error {
	lists := make([]cassette.ToolList, len(from))
	problems := make([]error, len(from))
	lanes := lanes{s: s}
	var asking errgroup.Group
	for i, o := range from {
		ask := func(ctx context.Context) (cassette.ToolList, error) { return s.ask(ctx, o) }
		if !o.Outside {
			lists[i], problems[i] = ask(ctx)
			continue
		}
		lane := lanes.next(turn, "tools", i+1, o.Name)
		asking.Go(func() error {
			lists[i], problems[i] = lane.List(ctx, o.Name, ask)
			return nil
		})
	}
	_ = asking.Wait() // the problems are collected in a list
	s.advanceBy(&lanes, true)
	if err := s.recorder.Err(); err != nil {
		return err
	}
	for i, o := range from {
		if problems[i] != nil {
			return problems[i]
		}
		if err := s.take(o, &lists[i]); err != nil {
			return err
		}
	}
	return nil
}

// ask asks one source for its tools. It is called concurrently.
func (s *session) ask(ctx context.Context, o *tools.Opener) (cassette.ToolList, error) {
	list, err := s.box.List(ctx, o)
	if err != nil {
		return cassette.ToolList{}, err
	}
	about := s.box.Remarks(o)
	out := cassette.ToolList{Tools: list, Fixed: about.Fixed, Notices: slices.Clip(about.Notices)}
	if !about.ReadOnly && o.Scope != tools.PerSession && s.trial.Of > 1 {
		out.Notices = append(out.Notices, fmt.Sprintf("%s is one for several trials, which see what the others did: "+
			"with scope: session each has its own", o.Name))
	}
	if before, met := s.servers.listed[o]; met && slices.EqualFunc(before, list, sameTool) {
		out.Tools, out.AsBefore = nil, true
	}
	return out, nil
}

func sameTool(a, b chat.Tool) bool {
	return a.Name == b.Name && a.Description == b.Description && string(a.Schema) == string(b.Schema)
}

// take stores the listed tools of a source in the box.
func (s *session) take(o *tools.Opener, list *cassette.ToolList) error {
	for _, text := range list.Notices {
		s.notice(text)
	}
	if _, met := s.servers.listed[o]; met && list.AsBefore {
		return nil
	}
	s.keepList(o, list)
	unchecked, err := s.box.Take(o, list.Tools)
	if err != nil {
		return err
	}
	for _, why := range unchecked {
		s.notice(fmt.Sprintf("%s: %s: arguments are not validated", o.Name, say.Content(say.OneLine(why.Error()))))
	}
	if s.servers.listed == nil {
		s.servers.listed = map[*tools.Opener][]chat.Tool{}
	}
	s.servers.listed[o] = list.Tools
	return nil
}
