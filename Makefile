# Everything here is also plain Go: this file only saves typing.
.DEFAULT_GOAL := help
.PHONY: help build test unit lint fmt generate bench vulndb

help: ## what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## the one binary, ./askhub
	CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o askhub ./cmd/askhub

test: ## the whole gate: every suite, installing what it needs
	./test

unit: ## every Go test, with nothing installed
	go test ./...

lint: ## formatting, go vet and golangci-lint
	./test format vet lint

fmt: ## format every Go file
	go -C tools tool gofumpt -w ..

generate: ## what is made from a corpus or a template in the repository
	go generate ./...

bench: ## the Hub against the plain thing that does the same work; prints a table
	go run ./bench/compare

vulndb: ## move the pinned vulnerability database on
	go -C tools get golang.org/x/vulndb@latest
	go -C tools mod tidy
