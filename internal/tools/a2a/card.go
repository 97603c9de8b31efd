package a2a

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/arena-evals/arena/internal/a2a"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/say"
)

// fill reads the card of the agent, and makes tools of its skills.
func (s *source) fill(ctx context.Context, r *reading) {
	card, err := s.client.Card(ctx)
	switch {
	case err != nil:
		r.err = err
		return
	case card == nil:
		r.err = errors.New("there is no agent card at /.well-known/agent-card.json, nor at /.well-known/agent.json")
		return
	}
	at, found, err := s.client.Endpoint(card)
	if err != nil {
		r.err = err
		return
	}
	if r.at = at; !found {
		r.at = s.client.Usual()
	}
	r.list, r.skill, r.err = s.offers(card)
}

// offers returns the tools for the skills that pass the filter, and the ids of the skills.
func (s *source) offers(card *a2a.Card) ([]chat.Tool, map[string]string, error) {
	if a2a.Plain(card.Name) == "" {
		return nil, nil, fmt.Errorf("its agent card has no name that could stand in the names of tools: %s",
			say.Named(card.Name))
	}
	var ids []string
	for i := range card.Skills {
		ids = append(ids, card.Skills[i].ID)
	}
	if missing := s.spec.Skills.Missing(ids); len(missing) > 0 {
		name := missing[0]
		text := fmt.Sprintf("skill_filter names %q, and its agent card has no such skill", name)
		if near := s.spec.Skills.Nearest(name, ids); near != "" {
			text += "; " + near
		}
		return nil, nil, errors.New(text)
	}
	var list []chat.Tool
	skills := map[string]string{}
	for i := range card.Skills {
		skill := &card.Skills[i]
		if !s.spec.Skills.Takes(skill.ID) {
			continue
		}
		name := a2a.ToolName(card.Name, skill.ID)
		switch before, duplicate := skills[name]; {
		case a2a.Plain(skill.ID) == "":
			return nil, nil, fmt.Errorf("its agent card has a skill without an id that could stand in the name of a tool: %s",
				say.Named(skill.ID))
		case duplicate:
			return nil, nil, fmt.Errorf("the skills %s and %s of its agent card would both be the tool %s",
				say.Named(before), say.Named(skill.ID), name)
		}
		modes := skill.InputModes
		if len(modes) == 0 {
			modes = card.InputModes
		}
		skills[name] = skill.ID
		list = append(list, chat.Tool{
			Name: name, Description: cmp.Or(skill.Description, skill.Name, skill.ID), Schema: a2a.Schema(modes),
		})
	}
	switch {
	case len(ids) == 0:
		return nil, nil, errors.New("its agent card lists no skills, so there is nothing to call")
	case len(list) == 0:
		return nil, nil, errors.New("skill_filter leaves none of its skills: " + say.Listed(ids, ", "))
	}
	return list, skills, nil
}
