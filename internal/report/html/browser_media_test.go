package html_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/report/html"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

// noise is a picture that does not shrink.
func noise(t testing.TB, seed uint64, size int) []byte {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	picture := image.NewRGBA(image.Rect(0, 0, size, size))
	for x := range size {
		for y := range size {
			picture.Set(x, y, color.RGBA{uint8(random.Uint32()), uint8(random.Uint32()), uint8(random.Uint32()), 255})
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, picture); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func pictured(id string, parts ...chat.Part) *result.Trial {
	t := &result.Trial{
		ID: id, Scenario: id, Provider: "mock", Region: "default", Trial: 1, Trials: 1,
		Turns: []result.Turn{{
			User: "Look.", Assistant: "I see.",
			Messages: []chat.Message{
				{Role: chat.User, Parts: append([]chat.Part{{Type: "text", Text: "Look."}}, parts...)},
				{Role: chat.Assistant, Content: "I see."},
			},
			ToolCalls: []result.ToolCall{}, Assertions: []result.Verdict{},
		}},
	}
	t.Settle()
	return t
}

// mediaAreShown: pictures are seen, documents can be saved under a harmless name, and a page is never one.
func mediaAreShown(t *testing.T, b *browser) {
	part := func(kind, mime, source string, data []byte) chat.Part {
		return chat.Part{Type: kind, Media: &chat.Media{MIMEType: mime, Source: source, Data: chat.Encode(data)}}
	}
	page := []byte("<script>document.title = 'run'</script>" + strings.Repeat("a", 2000))
	picture := noise(t, 1, 40)
	run := resulttest.NewRun("media", pictured("media",
		part("image", "image/png", "../../photo.html?key=1", picture), part("image", "image/png", "", picture),
		part("image", "image/svg+xml", "drawing.svg", []byte("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'>"+
			strings.Repeat(" ", 2000)+"</svg>")),
		part("document", "text/html", "page.html", page), part("document", "application/pdf", "invoice.pdf",
			append([]byte("%PDF-1.7 "), page...)),
	))
	p := b.open(t, run, "#/trial/media")
	p.until(`[...document.querySelectorAll("figure img")].filter((i) => i.naturalWidth === 40).length === 2`)
	if n := eval[int](p, `document.querySelectorAll("[id^=medium-]").length`); n != 4 {
		t.Errorf("the page holds %d media, want each of 4 once", n)
	}
	if n := eval[int](p, `document.querySelectorAll("figure img, figure audio, figure video, iframe, embed, object").length`); n != 2 {
		t.Errorf("%d media are shown, want the 2 pictures", n)
	}
	names := eval[[]string](p, `[...document.querySelectorAll("a.save")].map((a) => a.download + " " + a.href.slice(0, 5))`)
	want := []string{
		"photo.png blob:", "medium.png blob:", "drawing.bin blob:", "page.bin blob:", "invoice.pdf blob:",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	p.clean()
}

// TestSizeOfPictures: a page has little more than the bytes of the pictures in it, each once.
func TestSizeOfPictures(t *testing.T) {
	t.Parallel()
	var trials []*result.Trial
	bytesOf, seed := 0, uint64(0)
	for i := range 200 {
		var parts []chat.Part
		for range 4 {
			seed++
			data := noise(t, seed, 80)
			bytesOf += len(data)
			parts = append(parts, chat.Part{Type: "image", Media: &chat.Media{MIMEType: "image/png", Data: chat.Encode(data)}})
		}
		trials = append(trials, pictured(strings.Repeat("p", i+1), parts...))
	}
	var out bytes.Buffer
	if err := html.Write(&out, resulttest.NewRun("pictures", trials...), html.Options{}); err != nil {
		t.Fatal(err)
	}
	if share := float64(out.Len()) / float64(bytesOf); share > 1.2 {
		t.Errorf("the page has %d bytes for %d of pictures: %.3f", out.Len(), bytesOf, share)
	} else {
		t.Logf("the page has %d bytes for %d of pictures: %.3f", out.Len(), bytesOf, share)
	}
}
