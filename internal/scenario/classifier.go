package scenario

// ClassifierType is the type of providers whose models assign labels to texts and media.
const ClassifierType = "huggingface"

// Classifies reports whether checks may use the provider to classify texts and media.
func (p *Provider) Classifies() bool { return p.Role == "inference" && p.Type == ClassifierType }
