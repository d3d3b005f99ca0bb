//go:build unix && !linux

package postgrestest

import "syscall"

// attributes run a child as that account.
func attributes(account *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: account}
}
