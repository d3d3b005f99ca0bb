//go:build linux

// Package lantest is a household's network for tests, of network namespaces with real
// packets: a child's tablet and a console, a router between, and a site.
package lantest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// Host is one of the hosts.
type Host string

// The hosts.
const (
	Tablet  Host = "t"
	Console Host = "c"
	Router  Host = "r"
	Site    Host = "s"
)

// The devices' addresses.
const (
	TabletMAC  = "02:00:00:00:00:11"
	ConsoleMAC = "02:00:00:00:00:12"
	ConsoleIP4 = "10.77.2.20"
	ConsoleIP6 = "fd77:2::20"
	// RouterIP4 and RouterIP6 are where the tablet sees the router, and RouterIP6Console
	// where the console does.
	RouterIP4        = "10.77.1.1"
	RouterIP6        = "fd77:1::1"
	RouterIP6Console = "fd77:2::1"
)

var pages = map[int]string{4: "http://10.77.9.20/", 6: "http://[fd77:9::20]/"}

// LAN is the network, until the test ends.
type LAN struct {
	t      testing.TB
	prefix string
}

var started atomic.Int32

// Start makes the network. The test is skipped where that needs what is not there.
func Start(t testing.TB) *LAN {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("this test needs root, to make network namespaces")
	}
	for command, name := range map[string]string{"ip": "iproute2", "nft": "nftables", "dnsmasq": "dnsmasq"} {
		if _, err := exec.LookPath(command); err != nil {
			t.Skip(name + " is not installed")
		}
	}
	l := &LAN{t: t, prefix: fmt.Sprintf("ask%d.%d", os.Getpid(), started.Add(1))}
	if out, err := exec.Command("ip", "netns", "add", l.namespace(Router)).CombinedOutput(); err != nil {
		t.Skipf("this machine lets nobody make network namespaces, which is needed: %s", out)
	}
	t.Cleanup(func() {
		for _, h := range []Host{Router, Tablet, Console, Site} {
			_ = exec.Command("ip", "netns", "del", l.namespace(h)).Run()
		}
	})
	l.Must("ip", "-n", l.namespace(Router), "link", "set", "lo", "up")
	l.join(Tablet, TabletMAC, "1")
	l.join(Console, ConsoleMAC, "2")
	l.join(Site, "02:00:00:00:00:99", "9")
	l.Must(l.In(Router, "sh", "-c", "echo 1 >/proc/sys/net/ipv4/ip_forward && echo 1 >/proc/sys/net/ipv6/conf/all/forwarding")...)
	l.Start(Site, nil, []string{roleVar + "=site"}, os.Args[0])
	l.Until(func() bool {
		return l.Flows(Tablet, 4) && l.Flows(Tablet, 6) && l.Flows(Console, 4) && l.Flows(Console, 6)
	})
	return l
}

func (l *LAN) namespace(h Host) string { return l.prefix + string(h) }

// join makes a host and its link to the router.
func (l *LAN) join(h Host, mac, net string) {
	l.t.Helper()
	router, host := l.namespace(Router), l.namespace(h)
	l.Must("ip", "netns", "add", host)
	l.Must("ip", "-n", router, "link", "add", "to"+string(h), "type", "veth", "peer", "name", "eth0", "netns", host)
	l.Must("ip", "-n", host, "link", "set", "eth0", "address", mac)
	for _, side := range [][3]string{{router, "to" + string(h), "1"}, {host, "eth0", "20"}} {
		l.Must("ip", "-n", side[0], "addr", "add", "10.77."+net+"."+side[2]+"/24", "dev", side[1])
		l.Must("ip", "-n", side[0], "addr", "add", "fd77:"+net+"::"+side[2]+"/64", "dev", side[1], "nodad")
		l.Must("ip", "-n", side[0], "link", "set", side[1], "up")
	}
	l.Must("ip", "-n", host, "link", "set", "lo", "up")
	l.Must("ip", "-n", host, "route", "add", "default", "via", "10.77."+net+".1")
	l.Must("ip", "-n", host, "-6", "route", "add", "default", "via", "fd77:"+net+"::1")
}

// In is a command as it runs on a host.
func (l *LAN) In(h Host, command ...string) []string {
	return append([]string{"ip", "netns", "exec", l.namespace(h)}, command...)
}

// Must runs a command, and gives what it prints.
func (l *LAN) Must(command ...string) string {
	l.t.Helper()
	out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	if err != nil {
		l.t.Fatalf("%v: %v: %s", command, err, out)
	}
	return string(out)
}

// Start runs a program on a host until the test ends, with what it says going to output,
// which may be nil.
func (l *LAN) Start(h Host, output io.Writer, env []string, command ...string) *exec.Cmd {
	l.t.Helper()
	args := l.In(h, command...)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if output != nil {
		cmd.Stdout, cmd.Stderr = output, output
	}
	// Its standard input stays open for as long as it is to run.
	if _, err := cmd.StdinPipe(); err != nil {
		l.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// host runs the test's own program on a host in that role.
func (l *LAN) host(h Host, role, input string, args ...string) ([]byte, error) {
	command := l.In(h, append([]string{os.Args[0]}, args...)...)
	cmd := exec.CommandContext(l.t.Context(), command[0], command[1:]...)
	cmd.Env = append(os.Environ(), roleVar+"="+role)
	cmd.Stdin = bytes.NewBufferString(input)
	return cmd.Output()
}

// Flows says whether a device gets the site's page over IPv4 or IPv6.
func (l *LAN) Flows(h Host, family int) bool {
	l.t.Helper()
	_, err := l.host(h, "fetch", "", pages[family])
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		l.t.Fatal(err)
	}
	return err == nil
}

// Want says by which of both families a device's packets do not flow as they should. On a
// busy machine a packet that flows may come too late, so it is sent again; what is held back
// comes at no time.
func (l *LAN) Want(h Host, flow bool) {
	l.t.Helper()
	for _, family := range []int{4, 6} {
		got := l.Flows(h, family)
		for range 10 {
			if got || !flow {
				break
			}
			got = l.Flows(h, family)
		}
		if got != flow {
			l.t.Errorf("IPv%d packets of %s flow: %v, want %v", family, h, got, flow)
		}
	}
}

// Send lets a device send so many bytes to the site.
func (l *LAN) Send(h Host, bytes int) {
	l.t.Helper()
	if _, err := l.host(h, "send", "", fmt.Sprint(bytes)); err != nil {
		l.t.Fatal(err)
	}
}

// LookUp asks a server for a name, and says whether it answered.
func (l *LAN) LookUp(h Host, name, server string) bool {
	_, err := l.host(h, "look", "", name+" "+server)
	return err == nil
}

// Dnsmasq runs a dnsmasq on the router that knows names below .example, and gives its log.
func (l *LAN) Dnsmasq() (log string) {
	l.t.Helper()
	dir := l.t.TempDir()
	log = dir + "/dnsmasq.log"
	l.Start(Router, nil, nil, "dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--no-resolv", "--no-hosts", "--log-queries=extra",
		"--log-facility="+log, "--user=root", "--pid-file=", "--address=/example/192.0.2.1")
	l.Until(func() bool { return l.LookUp(Site, "ready.example", "10.77.9.1") })
	return log
}

// Call makes an HTTP call on a host. Status is 0 where nobody answered.
func (l *LAN) Call(h Host, method, url, token, body string) (status int, said string) {
	l.t.Helper()
	in, err := json.Marshal(request{method, url, token, body})
	if err != nil {
		l.t.Fatal(err)
	}
	out, err := l.host(h, "call", string(in))
	if err != nil {
		return 0, ""
	}
	var r reply
	if err := json.Unmarshal(out, &r); err != nil {
		l.t.Fatalf("%s: %v", out, err)
	}
	return r.Status, r.Body
}

// Until waits until that is so.
func (l *LAN) Until(so func() bool) {
	l.t.Helper()
	for limit := time.Now().Add(40 * time.Second); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(limit) {
			l.t.Fatal("waited in vain")
		}
	}
}
