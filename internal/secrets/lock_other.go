//go:build !unix

package secrets

// lockDir does nothing where folders cannot be locked.
func lockDir(string) (unlock func(), err error) { return func() {}, nil }
