package qrcode

import "strings"

// narrow is how many light squares are drawn around a code on a terminal: the standard
// wants four, and phones do with two.
const narrow = 2

// Terminal is text as a QR code in characters, two rows of squares a line. With colours it reads
// alike on a dark terminal and on a light one; without, the light squares are drawn, as
// on a dark one.
func Terminal(text string, colours bool) (string, error) {
	code, err := encode(text)
	if err != nil {
		return "", err
	}
	dark := func(x, y int) bool { return x >= 0 && y >= 0 && x < code.Size && y < code.Size && code.Black(x, y) }
	begin, end := "", ""
	if colours {
		begin, end = "\x1b[30;107m", "\x1b[0m"
	}
	var b strings.Builder
	for y := -narrow; y < code.Size+narrow; y += 2 {
		b.WriteString(begin)
		for x := -narrow; x < code.Size+narrow; x++ {
			// In colours the ink is dark, else it is light.
			switch upper, lower := dark(x, y) == colours, dark(x, y+1) == colours; {
			case upper && lower:
				b.WriteRune('█')
			case upper:
				b.WriteRune('▀')
			case lower:
				b.WriteRune('▄')
			default:
				b.WriteByte(' ')
			}
		}
		b.WriteString(end + "\n")
	}
	return b.String(), nil
}
