package scenario

// Makes is the kind of media that the provider's model generates: image or video; "": it generates text.
func (p *Provider) Makes() string {
	switch p.Type {
	case "imagen":
		if p.Role == "image" || p.Role == "video" {
			return p.Role
		}
	case "openai", "azure", "openai-compatible", "ollama", "vllm":
		if p.Role == "image" {
			return p.Role
		}
	}
	return ""
}
