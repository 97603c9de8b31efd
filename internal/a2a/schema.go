package a2a

import (
	"encoding/json"
	"strings"
)

// The arguments of tools that call agents. Other arguments go into the metadata of the message.
const (
	Query     = "query"
	ImageURL  = "image_url"
	ImageData = "image_data"
	AudioData = "audio_data"
)

// Schema is the JSON Schema of the arguments of a tool that calls an agent with these input types.
func Schema(inputModes []string) json.RawMessage {
	properties := map[string]any{Query: property("What the agent is asked or told to do.")}
	for _, mode := range inputModes {
		switch kind, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(mode)), "/"); kind {
		case "image":
			properties[ImageURL] = property("Address of an image that belongs to the query.")
			properties[ImageData] = property("An image that belongs to the query, in base64.")
		case "audio":
			properties[AudioData] = property("A sound that belongs to the query, in base64.")
		}
	}
	schema, err := json.Marshal(map[string]any{
		"type": "object", "properties": properties, "required": []string{Query},
	})
	if err != nil {
		panic(err) // of maps of texts
	}
	return schema
}

func property(description string) map[string]string {
	return map[string]string{"type": "string", "description": description}
}
