//go:build !linux

package main

// hostOfLAN does nothing where there are no network namespaces.
func hostOfLAN() {}
