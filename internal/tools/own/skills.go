package own

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/skill"
)

// Skills are the tools by which a model works with the skills that it is allowed; none where it is allowed none.
func Skills(allowed []*skill.Skill) []chat.Tool {
	if len(allowed) == 0 {
		return nil
	}
	var names, withFiles []string
	var index strings.Builder
	for _, one := range allowed {
		names = append(names, one.Name)
		fmt.Fprintf(&index, "\n- %s: %s", one.Name, one.Description)
		if one.Dir != "" {
			withFiles = append(withFiles, one.Name)
		}
	}
	list := []chat.Tool{
		{
			Name: skill.ActivateTool,
			Description: "Activates a skill: returns its instructions, and offers the tools that it needs. Skills:" +
				index.String(),
			Schema: objectSchema(property{"name", "Name of the skill.", names}),
		},
		{
			Name: skill.DeactivateTool, Description: "Ends a skill that is no longer needed, and its tools.",
			Schema: objectSchema(property{"name", "Name of the skill.", names}),
		},
	}
	if len(withFiles) > 0 {
		list = append(list, chat.Tool{
			Name: skill.ResourceTool, Description: "Reads a text file that belongs to a skill.",
			Schema: objectSchema(property{"skill_name", "Name of the skill.", withFiles},
				property{"path", "The file, relative to the folder of the skill.", nil}),
		})
	}
	return list
}
