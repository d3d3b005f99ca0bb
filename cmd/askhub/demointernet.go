package main

import (
	"fmt"
	"strings"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/project/internet"
	"github.com/askhub/askhub/internal/project/internet/sample"
	"github.com/askhub/askhub/internal/secrets"
)

// demoInternet is the demo's [internet], with the sample's devices, and the admin app's token for it.
func demoInternet() (settings, tokens string) {
	var b strings.Builder
	fmt.Fprintf(&b, "\n[internet]\nbackend = %q\n", config.BackendSample)
	for _, d := range sample.Devices() {
		fmt.Fprintf(&b, "\n[[internet.devices]]\nname = %q\nperson = %q\nids = [%q]\n", d.Name, d.Person, d.IDs[0])
	}
	return b.String(), ask.ApprovalTokenVariable(internet.DefaultName) + "=" + string(secrets.NewToken()) + "\n"
}
