package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/doctor"
	"github.com/askhub/askhub/internal/project/internet"
	"github.com/askhub/askhub/internal/project/internet/adguard"
	"github.com/askhub/askhub/internal/project/internet/linux"
)

// checkNetwork looks at the network of the internet project, and changes nothing there. The
// password is the project's own; the doctor is no part of the Hub.
func checkNetwork(ctx context.Context, cfg *config.Config, password string) []doctor.Check {
	devices := internetDevices(cfg)
	switch n := cfg.Internet; n.Backend {
	case config.BackendAdGuard:
		home, err := adguard.New(adguard.Options{URL: n.URL, Username: n.Username, Password: password, Zone: time.Local})
		if err != nil {
			return []doctor.Check{{Check: "internet.url", State: doctor.Fault, What: "it is no address of AdGuard Home", Mend: adguardAt.field + " in askhub.toml is " + adguardAt.address + "."}}
		}
		found, err := home.Look(ctx, devices)
		return adguardChecks(found, err)
	case config.BackendLinux:
		router, err := linux.New(linux.Options{Log: n.Log, Leases: n.Leases, Devices: canonical(devices), Zone: time.Local, File: bedtimesPath(cfg)})
		if err == nil {
			err = router.Look(ctx)
		}
		return []doctor.Check{routerCheck(err)}
	}
	return nil
}

// internetDevices are those of the config, as the project knows them.
func internetDevices(cfg *config.Config) []internet.Device {
	devices := make([]internet.Device, len(cfg.Internet.Devices))
	for i, d := range cfg.Internet.Devices {
		devices[i] = internet.Device{Name: d.Name, Person: ask.Person(d.Person), IDs: d.IDs}
	}
	return devices
}

// canonical are the devices with their ids as packets bear them.
func canonical(devices []internet.Device) []internet.Device {
	out := make([]internet.Device, len(devices))
	for i, d := range devices {
		out[i] = d.Canonical()
	}
	return out
}

var adguardAt = server{
	"AdGuard Home", "internet.url", "the address of AdGuard Home's page, such as http://192.168.1.2, without /control",
	"Start AdGuard Home, or mend internet.url in askhub.toml.",
}

func adguardChecks(f adguard.Found, err error) []doctor.Check {
	switch {
	case errors.Is(err, adguard.ErrLockedOut):
		return []doctor.Check{{
			Check: "internet.password_env", State: doctor.Fault, What: "AdGuard Home locks this machine out, after too many wrong passwords",
			Mend: "Wait a quarter of an hour, put the right password into the secrets file, and then start the Hub again.",
		}}
	case errors.Is(err, adguard.ErrRefused):
		return []doctor.Check{{
			Check: "internet.password_env", State: doctor.Fault, What: "AdGuard Home does not take that user and password",
			Mend: "Mend internet.username in askhub.toml, or the password in the secrets file, before you look again: five wrong ones lock this machine out for a quarter of an hour.",
		}}
	case errors.Is(err, adguard.ErrNone):
		return []doctor.Check{{Check: adguardAt.field, State: doctor.Fault, What: "something answers there that is not AdGuard Home", Mend: "Mend internet.url in askhub.toml: it is " + adguardAt.address + "; a new AdGuard Home is to be set up in a browser first."}}
	case err != nil:
		return []doctor.Check{adguardAt.fault(err)}
	}
	checks := []doctor.Check{{Check: "internet", State: doctor.OK, What: "AdGuard Home " + f.Version + " answers, and takes the password"}}
	if !f.Protects {
		checks = append(checks, doctor.Check{
			Check: "internet", State: doctor.Warn, What: "AdGuard Home's protection is switched off, so nothing that is cut or blocked holds",
			Mend: "Switch it on, on its first page.",
		})
	}
	if len(f.Unknown) > 0 {
		checks = append(checks, doctor.Check{
			Check: "internet.devices", State: doctor.Warn, What: "AdGuard Home knows no client, or two, by the ids of " + strings.Join(f.Unknown, ", ") + ", so nothing of it can be changed",
			Mend: "Add each there under Settings, Client settings, with one of its ids; or mend ids in askhub.toml.",
		})
	}
	return checks
}

func routerCheck(err error) doctor.Check {
	var unable *internet.UnableError
	switch {
	case err == nil:
		return doctor.Check{Check: "internet", State: doctor.OK, What: "this router's packet filter can be used, and dnsmasq's files be read"}
	case errors.As(err, &unable):
		return doctor.Check{
			Check: "internet", State: doctor.Fault, What: unable.Why,
			Mend: `Run "askhub doctor" as the account that runs the Hub, on the router itself; that account needs CAP_NET_ADMIN and nft, and the right to read dnsmasq's files (docs/internet.md).`,
		}
	}
	return doctor.Check{Check: "internet", State: doctor.Fault, What: "this router cannot be looked at", Mend: `See that "nft list ruleset" works for the account that runs the Hub, and look at internet.devices in askhub.toml.`}
}
