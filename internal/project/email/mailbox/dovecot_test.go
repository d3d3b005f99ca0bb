package mailbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/freeport"
)

// dovecot is a real IMAP server of the test's own, with the users that log in with
// the password "secret" and a maildir each.
type dovecot struct {
	t         *testing.T
	dir       string
	config    string
	plain     string // address of the listener without TLS at first
	tls       string // address of the listener with TLS; "" without a certificate
	certPEM   []byte
	process   *exec.Cmd
	delivered int
	uid, gid  int // whose the mail is
}

func newDovecot(t *testing.T, secured bool) *dovecot {
	t.Helper()
	program, err := exec.LookPath("dovecot")
	if err != nil {
		if program = "/usr/sbin/dovecot"; !isProgram(program) {
			t.Skip("dovecot is not installed")
		}
	}
	dir, err := os.MkdirTemp("", "dovecot") // short: the names of sockets are
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	d := &dovecot{t: t, dir: dir, config: filepath.Join(dir, "dovecot.conf"), plain: freeport.For(t).Address}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	group, err := user.LookupGroupId(me.Gid)
	if err != nil {
		t.Fatal(err)
	}
	// Its parts run as one ordinary user; for root they must be the package's own users.
	users := fmt.Sprintf("default_internal_user = %[1]s\ndefault_login_user = %[1]s\ndefault_internal_group = %[2]s", me.Username, group.Name)
	d.uid, d.gid = os.Getuid(), os.Getgid()
	if d.uid == 0 {
		users = ""
		d.uid, d.gid = 65534, 65534 // nobody: Dovecot reads no mail as root
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	sslConf := "ssl = no"
	tlsPort := "0"
	if secured {
		cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
		d.certPEM = writeCertificate(t, cert, key)
		sslConf = "ssl = yes\nssl_cert = <" + cert + "\nssl_key = <" + key
		d.tls = freeport.For(t).Address
		tlsPort = portOf(d.tls)
	}
	conf := fmt.Sprintf(`base_dir = %[1]s/run
state_dir = %[1]s/state
log_path = %[1]s/log
protocols = imap
listen = 127.0.0.1
%[2]s
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_failure_delay = 0
auth_cache_size = 0
mail_max_userip_connections = 100
mailbox_idle_check_interval = 1 secs
%[3]s
mail_location = maildir:%[1]s/mail/%%u
first_valid_uid = 0
first_valid_gid = 0
service imap-login {
  chroot =
  inet_listener imap {
    port = %[4]s
  }
  inet_listener imaps {
    port = %[5]s
  }
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
passdb {
  driver = static
  args = password=secret
}
userdb {
  driver = static
  args = uid=%[6]d gid=%[7]d home=%[1]s/home
}
namespace inbox {
  inbox = yes
  separator = /
}
`, dir, sslConf, users, portOf(d.plain), tlsPort, d.uid, d.gid)
	if err := os.WriteFile(d.config, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"mail", "home"} {
		if err := errors.Join(os.Mkdir(filepath.Join(dir, sub), 0o700), os.Chown(filepath.Join(dir, sub), d.uid, d.gid)); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(d.stop)
	d.start(program)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(d.log())
		}
	})
	return d
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

func portOf(address string) string {
	_, port, _ := net.SplitHostPort(address)
	return port
}

func (d *dovecot) start(program string) {
	d.t.Helper()
	d.process = exec.Command(program, "-F", "-c", d.config)
	out := &strings.Builder{}
	d.process.Stdout, d.process.Stderr = out, out
	if err := d.process.Start(); err != nil {
		d.t.Fatal(err)
	}
	for limit := time.Now().Add(60 * time.Second); time.Now().Before(limit); {
		if c, err := net.Dial("tcp", d.plain); err == nil {
			c.Close()
			return
		}
		time.Sleep(25 * time.Millisecond) // a program outside of the test has no other way to tell
	}
	log, _ := os.ReadFile(filepath.Join(d.dir, "log"))
	d.t.Fatalf("dovecot does not listen: %s%s", out, log)
}

// again starts the server anew on the same addresses and maildirs.
func (d *dovecot) again() {
	d.t.Helper()
	d.start(d.process.Path)
}

func (d *dovecot) stop() {
	if d.process == nil || d.process.Process == nil {
		return
	}
	_ = d.process.Process.Signal(os.Interrupt)
	_ = d.process.Wait()
}

func (d *dovecot) account(name string) Account {
	return Account{Server: d.plain, Security: Plain, Username: name, Password: "secret"}
}

func (d *dovecot) maildir(name string) string { return filepath.Join(d.dir, "mail", name) }

// deliver puts a message into the user's INBOX, as a mail program would: flags as in
// maildir, "S" for seen; "" is new and unread.
func (d *dovecot) deliver(name, flags string, arrived time.Time, raw string) {
	d.t.Helper()
	for _, dir := range []string{"", "tmp", "new", "cur"} {
		dir = filepath.Join(d.maildir(name), dir)
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.Chown(dir, d.uid, d.gid)); err != nil {
			d.t.Fatal(err)
		}
	}
	d.delivered++
	base := strconv.FormatInt(arrived.Unix(), 10) + ".M" + fmt.Sprintf("%06d", d.delivered) + ".test"
	path := filepath.Join(d.maildir(name), "new", base)
	if flags != "" {
		path = filepath.Join(d.maildir(name), "cur", base+":2,"+flags)
	}
	tmp := filepath.Join(d.maildir(name), "tmp", base)
	if err := os.WriteFile(tmp, []byte(raw), 0o600); err != nil {
		d.t.Fatal(err)
	}
	if err := errors.Join(os.Chown(tmp, d.uid, d.gid), os.Chtimes(tmp, arrived, arrived), os.Rename(tmp, path)); err != nil {
		d.t.Fatal(err)
	}
}

// files are the names of the messages, with their flags, of a maildir.
func (d *dovecot) files(name string) []string {
	var out []string
	for _, sub := range []string{"new", "cur"} {
		entries, _ := os.ReadDir(filepath.Join(d.maildir(name), sub))
		for _, e := range entries {
			out = append(out, e.Name())
		}
	}
	return out
}

func (d *dovecot) log() string {
	log, _ := os.ReadFile(filepath.Join(d.dir, "log"))
	return string(log)
}
