package scenario

// Makes is what the model of the provider makes out of a text, instead of talking: image or video; "": it talks.
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
