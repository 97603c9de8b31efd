package scenario

import "slices"

// The features of a project that bring names which its files do not list, or list elsewhere.
const (
	FeatureWorkflows    = "workflows"
	FeatureCompositions = "compositions"
	FeatureSkills       = "skills"
	// FeatureInstalledSkills is skills that a package manager has put somewhere.
	FeatureInstalledSkills = "installed skills"
	FeatureServers         = "MCP servers"
)

// Has reports whether the project uses a feature, and returns the names it defines: states of workflows, steps of
// compositions, skills.
func (p *Project) Has(feature string) (names []string, there bool) {
	if feature == FeatureWorkflows {
		if p.Workflow == nil {
			return nil, false
		}
		return p.Workflow.names, true
	}
	if feature == FeatureSkills {
		if p.Skills == nil {
			return nil, false
		}
		return p.Skills.Names(), true
	}
	if feature == FeatureCompositions {
		for _, c := range p.Compositions {
			for s := range c.All() {
				names = append(names, s.ID)
			}
		}
		return names, p.Compositions != nil
	}
	if feature == FeatureServers {
		return nil, len(p.Servers) > 0
	}
	for i := range p.Later {
		if f := &p.Later[i]; f.Name == feature {
			names, there = append(names, f.Names...), true
		}
	}
	return slices.Clip(names), there
}

// HasWorkflow reports whether the project describes a workflow.
func (p *Project) HasWorkflow() bool { return p.Workflow != nil }
