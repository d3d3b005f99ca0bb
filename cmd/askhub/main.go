// Command askhub is the question hub of a household: the Hub, its data projects
// and every tool around them, in one binary.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/willabides/kongplete"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(&env{ctx: ctx, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, environ: os.Environ}, os.Args[1:])
	stop()
	os.Exit(code)
}

// commands is the whole command line.
type commands struct {
	Demo    demoCmd    `cmd:"" help:"Run a whole household on sample data, and ask it things."`
	Init    initCmd    `cmd:"" help:"Write a config folder and fresh tokens."`
	Serve   serveCmd   `cmd:"" help:"Run the Hub and its projects."`
	Ask     askCmd     `cmd:"" help:"Ask a running Hub."`
	Why     whyCmd     `cmd:"" help:"Show how an answer came about."`
	MCP     mcpCmd     `cmd:"" name:"mcp" help:"Speak the Model Context Protocol on standard input and output."`
	Project projectCmd `cmd:"" help:"Run one data project alone, or add a new one."`
	Token   tokenCmd   `cmd:"" help:"List, make, rotate and revoke tokens."`
	Routing routingCmd `cmd:"" help:"Check routing.md, see what it decides, and learn from what was asked."`
	Admin   adminCmd   `cmd:"" help:"The admin app: run it, enrol a device, revoke one."`
	Chat    chatCmd    `cmd:"" help:"The chat: its threads on the host, and its client."`
	Notify  notifyCmd  `cmd:"" help:"Notices: send a test to a person's phones, and see what became of notices."`
	Timer   timerCmd   `cmd:"" help:"The timers and reminders that askhub keeps."`
	Plan    planCmd    `cmd:"" help:"Check a catalogue of look-ups, and the plans over it."`
	Check   checkCmd   `cmd:"" help:"Check a project in any language against the ask contract."`
	Eval    evalCmd    `cmd:"" help:"Score the guard, the router or the person rule on a file."`
	Backup  backupCmd  `cmd:"" help:"Copy everything into one file, beside a running Hub."`
	Restore restoreCmd `cmd:"" help:"Bring a backup back."`
	Doctor  doctorCmd  `cmd:"" help:"Check the whole set-up, and say the mend for each fault."`
	Version versionCmd `cmd:"" help:"Print the version."`

	AsFlag kong.VersionFlag `name:"version" help:"The same as the command version."`

	ChatPoll      chatPollCmd      `cmd:"" hidden:"" help:"The same as chat poll."`
	Feedback      feedbackCmd      `cmd:"" hidden:"" help:"The old name of chat."`
	FeedbackInbox feedbackInboxCmd `cmd:"" hidden:"" help:"The old name of chat poll."`

	Completion completionCmd `cmd:"" help:"Print the lines that switch on completion in your shell."`
}

type routingCmd struct {
	Check  routingCheckCmd  `cmd:"" help:"Name every problem of a routing.md with its line."`
	Decide routingDecideCmd `cmd:"" help:"Say what would be asked, and ask nothing."`
	Try    routingTryCmd    `cmd:"" help:"Say what a changed routing.md would decide otherwise on past questions."`

	Proposals routingProposalsCmd `cmd:"" help:"Show what people's corrections propose for routing.md."`
}

type evalCmd struct {
	Guard   evalGuardCmd   `cmd:"" help:"Score the guard on a JSON Lines file."`
	Routing evalRoutingCmd `cmd:"" help:"Score the router on a JSON Lines file."`
	Person  evalPersonCmd  `cmd:"" help:"Score the person rule on a JSON Lines file."`
}

type projectCmd struct {
	Compass  projectCompassCmd  `cmd:"" help:"School and appointments from calendars."`
	Email    projectEmailCmd    `cmd:"" help:"Mail from IMAP mailboxes, read without a trace."`
	Internet projectInternetCmd `cmd:"" help:"Screen time and limits, from AdGuard Home or a Linux router."`
	Add      projectAddCmd      `cmd:"" help:"Add a project that runs already."`
}

// completionCmd prints the lines for the login shell; --uninstall is no flag of ours,
// since nothing is installed.
type completionCmd struct {
	kongplete.InstallCompletions `kong:"-"`
}

// Help is the command's example.
func (completionCmd) Help() string {
	return "For bash, zsh and fish, whichever is your login shell.\n\nExamples:\n  eval \"$(askhub completion)\"         # now, in this shell\n  askhub completion >> ~/.bashrc      # from the next shell on"
}

// exited carries kong's wish to end (after --help) out of the parser.
type exited int

// run is main without the process: it parses args, runs the command and gives
// the exit code.
func run(e *env, args []string) (code int) {
	defer func() {
		switch wish := recover().(type) {
		case nil:
		case exited:
			code = int(wish)
		default:
			panic(wish)
		}
	}()
	var cli commands
	parser, err := kong.New(&cli,
		kong.Name("askhub"),
		kong.Description("A question hub for a household: asks the project that knows, and gives back one short honest sentence."),
		kong.Writers(e.stdout, e.stderr),
		kong.Exit(func(code int) { panic(exited(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Bind(e),
		kong.Vars{"version": "askhub " + versionText()},
	)
	if err != nil {
		panic(err) // the command line is fixed, so a test meets this first
	}
	kongplete.Complete(parser)
	parsed, err := parser.Parse(args)
	if err == nil {
		err = slipOfChat(args)
	}
	if err != nil {
		// A flag that may be left out has an empty choice for that, which nobody writes.
		said := strings.Replace(err.Error(), `must be one of "",`, "must be one of ", 1)
		return report(e.stderr, exitError{exitUsage, fmt.Errorf("%s\nRun \"askhub --help\" for the commands, \"askhub COMMAND --help\" for one of them", said)})
	}
	return report(e.stderr, parsed.Run())
}

// report says on w what went wrong, and gives the exit code for it.
func report(w io.Writer, err error) int {
	if err == nil {
		return exitFine
	}
	code := exitNot
	var coded exitError
	if errors.As(err, &coded) {
		code = coded.code
	}
	if text := err.Error(); text != "" {
		fmt.Fprintln(w, "askhub:", text)
	}
	return code
}
