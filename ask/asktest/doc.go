// Package asktest checks that a project keeps the ask contract, in whatever
// language it is written, and holds a scripted project for the tests of those
// who call one.
//
// The case table is in cases.go; each case names its clause, and clauses.go has
// the clauses as docs/ask-contract.md numbers them.
package asktest
