package wire

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plainfile"
)

const maxMediaBytes = 50 << 20

// DataURL returns the URL of a medium, or a data URL with its bytes.
func DataURL(m *chat.Media) (string, error) {
	if m.URL != "" {
		return m.URL, nil
	}
	data, err := Base64(m)
	return "data:" + m.MIMEType + ";base64," + data, err
}

// Base64 returns the bytes of a medium that is not a URL.
func Base64(m *chat.Media) (string, error) {
	switch {
	case m.Holds():
		return m.Base64()
	case m.Path == "" || !m.Local: // paths from models and recordings are not opened
		return "", errors.New("media without data")
	}
	f, err := plainfile.Open(m.Path)
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxMediaBytes+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	if len(data) > maxMediaBytes {
		return "", fmt.Errorf("%s is larger than %d MiB", m.Path, maxMediaBytes>>20)
	}
	return base64.StdEncoding.EncodeToString(data), nil
}

// Of returns an error unless a medium has one of the types, or an unknown type.
func Of(m *chat.Media, types ...string) error {
	if m.MIMEType == "" || slices.Contains(types, m.MIMEType) {
		return nil
	}
	return fmt.Errorf("the API does not take %s; it takes %s", m.MIMEType, strings.Join(types, ", "))
}

// Images are the image types that every API with images supports.
var Images = []string{"image/jpeg", "image/png", "image/gif", "image/webp"}

// ResultText is the text of a tool result for the model.
func ResultText(m *chat.Message) string {
	text := m.ToolResult.Text()
	if text == "" {
		text = m.Content
	}
	if text == "" && m.ToolResult.Error != "" {
		text = "error: " + m.ToolResult.Error
	}
	return text
}
