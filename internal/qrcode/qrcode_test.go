package qrcode

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"rsc.io/qr"
)

// TestThePictureIsTheCode draws the paths of the SVG and compares each module.
func TestThePictureIsTheCode(t *testing.T) {
	const text = "https://askhub.example/chat#token=00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
	svg, err := SVG(text)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		ViewBox string `xml:"viewBox,attr"`
		Paths   []struct {
			D string `xml:"d,attr"`
		} `xml:"path"`
	}
	if err := xml.Unmarshal(svg, &doc); err != nil || len(doc.Paths) != 2 {
		t.Fatal(err, doc)
	}
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("0 0 %d %d", code.Size+8, code.Size+8); doc.ViewBox != want {
		t.Errorf("the edge is not four wide: %s, want %s", doc.ViewBox, want)
	}
	black := map[[2]int]bool{}
	for run := range strings.SplitSeq(strings.TrimSuffix(doc.Paths[1].D, "z"), "z") {
		var x, y, wide, back int
		if _, err := fmt.Sscanf(run, "M%d %dh%dv1h-%d", &x, &y, &wide, &back); err != nil || wide != back {
			t.Fatalf("%q: %v", run, err)
		}
		for i := range wide {
			black[[2]int{x + i - 4, y - 4}] = true
		}
	}
	for y := range code.Size {
		for x := range code.Size {
			if black[[2]int{x, y}] != code.Black(x, y) {
				t.Fatalf("module %d, %d is wrong", x, y)
			}
		}
	}
	if _, err := SVG(strings.Repeat("x", 10_000)); err == nil {
		t.Error("a text that is too long for a code gives one")
	}
}
