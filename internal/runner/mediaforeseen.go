package runner

import (
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools/open"
)

// ForeseeMedia reports the media of the chosen scenarios that a run would refuse: of turns, simulated tools and mock
// replies. open makes clients that send nothing. An address that a flag of the run may allow is a warning.
func ForeseeMedia(
	p *scenario.Project, chosen []*scenario.Scenario, opener Opener, o PlanOptions, d *diag.List,
) {
	var aside diag.List // other functions report problems of selecting and opening
	o.Open, o.Uncalled = opener, true
	m := newMatrix(o, &aside)
	defer m.close()
	m.onlyValidates = true
	run := &project{Project: p, lenient: o.Lenient, media: m.attachments(p)}
	var err error
	if run.tools, _, err = newKit(p, open.World{HTTP: m.http, Media: run.media}); err != nil {
		return // reported elsewhere
	}
	m.diags = d
	m.reportToolMedia(run)
	toolsShow := false
	for _, tool := range p.Tools {
		tool.EachMedium(func(*chat.Part, diag.Pos) { toolsShow = true })
	}
	for _, s := range chosen {
		if s.Skip != "" {
			continue
		}
		sends := false
		s.EachMedium(func(*chat.Part, diag.Pos) { sends = true })
		s.EachRowMedium(func(*chat.Part, diag.Pos) { sends = true })
		m.reportMedia(run, s)
		m.diags = &aside
		specs := m.selectProviders(p, s)
		m.diags = d
		for _, spec := range specs {
			m.reportReplyMedia(run, s, spec)
			if !sends && !toolsShow {
				continue
			}
			m.diags = &aside
			e := m.endpoint(p, spec)
			if m.diags = d; e != nil {
				m.takesMedia(run, s, e)
			}
		}
	}
}
