package postgrestest

import "syscall"

// attributes run a child as that account, and end it with this process.
func attributes(account *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: account, Pdeathsig: syscall.SIGQUIT}
}
