// Command icons draws the pages' icons: in a speech bubble a question for the chat, or, with
// the argument check, a check mark for the admin app. One set of shapes gives both the SVG and
// the PNG files, so that they cannot differ. It is run by go generate in a page's package.
package main

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
)

var (
	ground = color.NRGBA{0x17, 0x63, 0x5c, 0xff}
	paper  = color.NRGBA{0xff, 0xff, 0xff, 0xff}
)

// The drawing, in parts of its side.
const (
	corner = 0.22 // of the ground, where it has corners

	bubbleX, bubbleY, bubbleR = 0.5, 0.47, 0.31
	// The tail is a triangle whose third corner is its tip.
	tail1X, tail1Y, tail2X, tail2Y, tipX, tipY = 0.262, 0.62, 0.43, 0.76, 0.235, 0.82

	hookX, hookY, hookR = 0.5, 0.40, 0.098
	stemEnd             = 0.56
	pen                 = 0.033 // half the stroke's width
	dotY, dotR          = 0.645, 0.042

	check1X, check1Y, check2X, check2Y, check3X, check3Y = 0.37, 0.475, 0.465, 0.57, 0.645, 0.365
	checkPen                                             = 0.04
)

// checked is whether a check mark is drawn, and no question.
var checked = len(os.Args) > 1 && os.Args[1] == "check"

func main() {
	for name, draw := range map[string]func(io.Writer) error{
		"icon.svg":              drawSVG,
		"icon-192.png":          func(w io.Writer) error { return drawPNG(w, 192, false) },
		"icon-512.png":          func(w io.Writer) error { return drawPNG(w, 512, false) },
		"icon-maskable-512.png": func(w io.Writer) error { return drawPNG(w, 512, true) },
	} {
		if err := write(filepath.Join("static", name), draw); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func write(name string, draw func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := draw(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func drawSVG(w io.Writer) error {
	hex := func(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
	px := func(v float64) string { return fmt.Sprintf("%.4g", v*512) }
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512">
  <rect width="512" height="512" rx="%s" fill="%s"/>
  <circle cx="%s" cy="%s" r="%s" fill="%s"/>
  <path d="M%s %sL%s %sL%s %sZ" fill="%[6]s"/>
%[13]s</svg>
`,
		px(corner), hex(ground),
		px(bubbleX), px(bubbleY), px(bubbleR), hex(paper),
		px(tail1X), px(tail1Y), px(tail2X), px(tail2Y), px(tipX), px(tipY), drawnMark(px, hex(ground)))
	return err
}

// drawnMark is what stands in the bubble.
func drawnMark(px func(float64) string, colour string) string {
	if checked {
		return fmt.Sprintf("  <path d=\"M%s %sL%s %sL%s %s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>\n",
			px(check1X), px(check1Y), px(check2X), px(check2Y), px(check3X), px(check3Y), colour, px(2*checkPen))
	}
	return fmt.Sprintf("  <path d=\"M%s %sA%s %[3]s 0 1 1 %[4]s %[5]sV%[6]s\" fill=\"none\" stroke=\"%[7]s\" stroke-width=\"%[8]s\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>\n"+
		"  <circle cx=\"%[4]s\" cy=\"%[9]s\" r=\"%[10]s\" fill=\"%[7]s\"/>\n",
		px(hookX-hookR), px(hookY), px(hookR), px(hookX), px(hookY+hookR), px(stemEnd), colour, px(2*pen), px(dotY), px(dotR))
}

// drawPNG asks for each point, sixteen times, what lies there, which gives smooth edges.
// A maskable icon fills its square, since the system cuts it, and keeps the
// drawing inside the part that is never cut.
func drawPNG(w io.Writer, side int, maskable bool) error {
	const fine = 4
	img := image.NewNRGBA(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			var r, g, b, a float64
			for i := range fine * fine {
				px := (float64(x) + (float64(i%fine)+0.5)/fine) / float64(side)
				py := (float64(y) + (float64(i/fine)+0.5)/fine) / float64(side)
				c := colourAt(px, py, maskable)
				alpha := float64(c.A)
				r, g, b, a = r+float64(c.R)*alpha, g+float64(c.G)*alpha, b+float64(c.B)*alpha, a+alpha
			}
			if a > 0 {
				round := func(v float64) uint8 { return uint8(math.Round(v)) }
				img.SetNRGBA(x, y, color.NRGBA{round(r / a), round(g / a), round(b / a), round(a / (fine * fine))})
			}
		}
	}
	return (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(w, img)
}

func colourAt(x, y float64, maskable bool) color.NRGBA {
	if maskable {
		const smaller = 0.8
		x, y = (x-0.5)/smaller+0.5, (y-0.5)/smaller+0.5
	} else if outsideGround(x, y) {
		return color.NRGBA{}
	}
	switch {
	case checked && inCheck(x, y), !checked && inQuestion(x, y):
		return ground
	case math.Hypot(x-bubbleX, y-bubbleY) <= bubbleR, inTail(x, y):
		return paper
	}
	return ground
}

func outsideGround(x, y float64) bool {
	over := func(v float64) float64 { return max(math.Abs(v-0.5)-(0.5-corner), 0) }
	return math.Hypot(over(x), over(y)) > corner
}

func inTail(x, y float64) bool {
	side := func(ax, ay, bx, by float64) bool { return (bx-ax)*(y-ay)-(by-ay)*(x-ax) >= 0 }
	a, b, c := side(tail1X, tail1Y, tail2X, tail2Y), side(tail2X, tail2Y, tipX, tipY), side(tipX, tipY, tail1X, tail1Y)
	return a == b && b == c
}

// inQuestion is true on the mark: three quarters of a ring, a stem and a dot.
func inQuestion(x, y float64) bool {
	dx, dy := x-hookX, y-hookY
	ring := math.Abs(math.Hypot(dx, dy)-hookR) <= pen && (dx >= 0 || dy <= 0)
	start := math.Hypot(x-(hookX-hookR), dy) <= pen
	stem := math.Hypot(dx, y-min(max(y, hookY+hookR), stemEnd)) <= pen
	return ring || start || stem || math.Hypot(dx, y-dotY) <= dotR
}

// inCheck is true on the check mark: two strokes with round ends.
func inCheck(x, y float64) bool {
	return toStroke(x, y, check1X, check1Y, check2X, check2Y) <= checkPen || toStroke(x, y, check2X, check2Y, check3X, check3Y) <= checkPen
}

// toStroke is how far a point is from the stroke between two.
func toStroke(x, y, ax, ay, bx, by float64) float64 {
	t := ((x-ax)*(bx-ax) + (y-ay)*(by-ay)) / ((bx-ax)*(bx-ax) + (by-ay)*(by-ay))
	t = min(max(t, 0), 1)
	return math.Hypot(x-ax-t*(bx-ax), y-ay-t*(by-ay))
}
