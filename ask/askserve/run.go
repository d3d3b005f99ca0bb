package askserve

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/askhub/askhub/ask"
)

// Run is a whole program: it serves p on HOST (127.0.0.1 where it is not set)
// and PORT until SIGTERM or an interrupt, then lets running questions finish. Where
// p has no token it takes it from the environment, from PROJECT_TOKEN_ and the
// project's name in capitals, and that of its approvals from APPROVAL_TOKEN_ and the
// name. The error says what is missing and how to mend it.
func Run(p Project) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	return run(ctx, p, os.Getenv)
}

func run(ctx context.Context, p Project, getenv func(string) string) error {
	if p.Token == "" {
		name := ask.TokenVariable(p.Name)
		p.Token = ask.BearerToken(getenv(name))
		if err := p.Token.Check(); err != nil {
			return fmt.Errorf("set %s: %w", name, err)
		}
	}
	if p.Approvals != nil && p.ApprovalToken == "" {
		name := ask.ApprovalTokenVariable(p.Name)
		p.ApprovalToken = ask.BearerToken(getenv(name))
		if err := p.ApprovalToken.Check(); err != nil {
			return fmt.Errorf("set %s: %w", name, err)
		}
	}
	h, err := New(p)
	if err != nil {
		return err
	}
	port, err := strconv.ParseUint(getenv("PORT"), 10, 16)
	if err != nil {
		return fmt.Errorf("set PORT to a port number, such as 8421")
	}
	host := getenv("HOST")
	if host == "" {
		host = "127.0.0.1"
	}
	ln, err := ask.Listen("tcp", net.JoinHostPort(host, strconv.FormatUint(port, 10)))
	if err != nil {
		return fmt.Errorf("project %q cannot listen: %w", p.Name, err)
	}
	if p.Log != nil {
		p.Log.Info("the project is listening", "project", p.Name, "address", ln.Addr().String())
	} else {
		fmt.Fprintf(os.Stderr, "%s is listening on http://%s\n", p.Name, ln.Addr())
	}
	return ask.Serve(ctx, ln, h)
}
