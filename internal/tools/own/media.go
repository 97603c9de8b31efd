package own

import (
	"cmp"
	"encoding/json"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

// Media are the tools by which an agent asks the models of a project that make media, by what these make: image, video.
var Media = sync.OnceValue(func() map[string]chat.Tool {
	tool := func(what, about, extra string) chat.Tool {
		return chat.Tool{
			Name: scenario.MediaTool(what), Description: about,
			Schema: json.RawMessage(`{"type":"object","properties":{"prompt":{"type":"string","minLength":1,"description":` +
				`"What is to be seen."},` + extra + `},"required":["prompt"]}`),
		}
	}
	return map[string]chat.Tool{
		"image": tool("image", "Makes a picture of a description.",
			`"size":{"type":"string","description":"Width and height in pixels, such as 1024x1024."}`),
		"video": tool("video", "Makes a short film of a description.",
			`"aspect_ratio":{"type":"string","description":"Width to height, such as 16:9."}`),
	}
})

// MediaSignatures are what the tools take that make media.
var MediaSignatures = sync.OnceValue(func() map[string]*tools.Signature {
	all := map[string]*tools.Signature{}
	for _, tool := range Media() {
		all[tool.Name] = tools.NewSignature(tool.Schema)
	}
	return all
})

// MediaMakers are the models of a project that make media, by what they make: of several the first by id.
func MediaMakers(p *scenario.Project) map[string]*scenario.Provider {
	var all map[string]*scenario.Provider
	for _, q := range p.Providers {
		what := q.Makes()
		if what == "" || all[what] != nil && cmp.Compare(all[what].ID, q.ID) <= 0 {
			continue
		}
		if all == nil {
			all = map[string]*scenario.Provider{}
		}
		all[what] = q
	}
	return all
}
