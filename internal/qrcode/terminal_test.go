package qrcode

import (
	"strings"
	"testing"

	"rsc.io/qr"
)

func TestATerminalShowsTheRightSquares(t *testing.T) {
	const text = "http://askhub.home:8420/install-ca"
	want, err := qr.Encode(text, qr.M)
	if err != nil {
		t.Fatal(err)
	}
	for _, colours := range []bool{false, true} {
		drawn, err := Terminal(text, colours)
		if err != nil {
			t.Fatal(err)
		}
		if colours != strings.Contains(drawn, "\x1b[30;107m") {
			t.Errorf("colours %v: %q", colours, drawn)
		}
		drawn = strings.NewReplacer("\x1b[30;107m", "", "\x1b[0m", "").Replace(drawn)
		lines := strings.Split(strings.TrimSuffix(drawn, "\n"), "\n")
		if len(lines) != (want.Size+2*narrow+1)/2 {
			t.Fatalf("%d lines for %d squares", len(lines), want.Size)
		}
		for row, line := range lines {
			for column, r := range []rune(line) {
				x, y := column-narrow, 2*row-narrow
				for half, ink := range []bool{r == '█' || r == '▀', r == '█' || r == '▄'} {
					if dark := ink == colours; dark != want.Black(x, y+half) {
						t.Fatalf("colours %v: the square %d,%d is wrong", colours, x, y+half)
					}
				}
			}
		}
	}
}
