package scenario

// ClassifierType is the type of providers whose models sort texts and media under labels.
const ClassifierType = "huggingface"

// Classifies reports whether checks may have texts and media classified by the provider.
func (p *Provider) Classifies() bool { return p.Role == "inference" && p.Type == ClassifierType }
