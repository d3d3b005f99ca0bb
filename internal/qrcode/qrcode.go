// Package qrcode draws QR codes, for a page and for a terminal.
package qrcode

import (
	"fmt"
	"strings"

	"rsc.io/qr"
)

// quiet is the white edge that a reader needs, in modules.
const quiet = 4

// SVG is text as a QR code, black on white whatever the page's colours, since many
// readers know nothing else. An error is a text that is too long for one.
func SVG(text string) ([]byte, error) {
	code, err := encode(text)
	if err != nil {
		return nil, err
	}
	size := code.Size + 2*quiet
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" shape-rendering="crispEdges" role="img" aria-label="QR code">`, size, size)
	fmt.Fprintf(&b, `<path fill="#fff" d="M0 0h%dv%dH0z"/><path d="`, size, size)
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			from := x
			for x < code.Size && code.Black(x, y) {
				x++
			}
			if x > from { // one stroke for a run of black
				fmt.Fprintf(&b, "M%d %dh%dv1h-%dz", from+quiet, y+quiet, x-from, x-from)
			}
		}
	}
	b.WriteString(`"/></svg>`)
	return []byte(b.String()), nil
}

func encode(text string) (*qr.Code, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return nil, fmt.Errorf("a QR code: %w", err)
	}
	return code, nil
}
