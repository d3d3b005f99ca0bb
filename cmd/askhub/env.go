package main

import (
	"context"
	"io"
)

// env is what a command may touch of the world, so that tests hand it their own.
type env struct {
	ctx            context.Context
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	// environ is the whole environment, as os.Environ gives it.
	environ func() []string
}

// Exit codes of every command.
const (
	exitFine     = 0 // fine
	exitNot      = 1 // the thing checked is not
	exitUsage    = 2 // wrong usage
	exitNeedDown = 3 // something it needs is down
)

// exitError is an error that says with which code the program ends.
type exitError struct {
	code int
	err  error
}

func (e exitError) Error() string { return e.err.Error() }
func (e exitError) Unwrap() error { return e.err }
