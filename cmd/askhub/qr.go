package main

import (
	"fmt"
	"io"

	"github.com/askhub/askhub/internal/qrcode"
)

// offerQR prints an address for a phone, and its QR code on a terminal or when asked.
func offerQR(e *env, intro, address string, asked bool) error {
	if _, err := fmt.Fprintf(e.stdout, "\n%s\n  %s\n", intro, address); err != nil {
		return err
	}
	_, onTerminal := terminal(e.stdout)
	if !onTerminal && !asked {
		return nil
	}
	drawn, err := qrcode.Terminal(address, onTerminal && e.getenv("NO_COLOR") == "")
	if err != nil {
		return err
	}
	_, err = io.WriteString(e.stdout, drawn)
	return err
}
