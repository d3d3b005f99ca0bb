// Package asktest checks that a project keeps the ask contract, in whatever
// language it is written, and holds a scripted project for the tests of those
// who call one.
package asktest
