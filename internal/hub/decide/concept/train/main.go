// Train writes the embedded router's weights from the corpus. Run it through
// go generate after the corpus, the lexicon or the features have changed.
package main

import (
	"fmt"
	"os"

	"github.com/askhub/askhub/internal/hub/decide/concept"
	"github.com/askhub/askhub/internal/hub/decide/concept/corpus"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run(file string) error {
	lines, err := corpus.Lines()
	if err != nil {
		return err
	}
	training, err := corpus.Training(lines)
	if err != nil {
		return err
	}
	return os.WriteFile(file, concept.Train(training), 0o644)
}
