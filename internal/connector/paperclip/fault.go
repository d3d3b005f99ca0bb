package paperclip

import "fmt"

// Kind is what went wrong.
type Kind string

// The kinds of a Fault.
const (
	Down         Kind = "it does not answer"
	Starting     Kind = "it is not ready yet"
	Slow         Kind = "it gave no whole answer in time"
	Busy         Kind = "it has too much to do"
	Broken       Kind = "it failed"
	Nonsense     Kind = "what answers is not Paperclip, or a version that is not known here"
	Moved        Kind = "its address leads elsewhere"
	Refused      Kind = "it does not take the job"
	NoKey        Kind = "there is no key for it"
	BadKey       Kind = "it does not take the key"
	Board        Kind = "the key is a person's own, which may do everything"
	Wide         Kind = "the key may do more than file jobs"
	OtherCompany Kind = "the key belongs to another company"
	Boundary     Kind = "the key may not do that there"
	Elsewhere    Kind = "the job was approved for another Paperclip"
	Gone         Kind = "the job is not there any more"
)

// Fault is why Paperclip was not asked, or what it did not do.
type Fault struct {
	Kind Kind
	// Status is that of the reply; 0 where there was none.
	Status int
	// Detail is what Paperclip said, for the log and the doctor.
	Detail string
	// Lost is a request that may have been carried out although no clear answer came back.
	Lost bool
	Err  error

	said bool // Paperclip itself gave the reason
}

// Error is for the log; it never holds the key.
func (f *Fault) Error() string {
	text := "paperclip: " + string(f.Kind)
	if f.Status != 0 {
		text += fmt.Sprintf(" (HTTP %d)", f.Status)
	}
	if f.Detail != "" {
		text += ": " + f.Detail
	}
	if f.Err != nil {
		text += ": " + f.Err.Error()
	}
	return text
}

// Unwrap is the cause.
func (f *Fault) Unwrap() error { return f.Err }

// Uncertain says whether an issue may have been filed all the same.
func (f *Fault) Uncertain() bool { return f.Lost }

// Says is what a person hears of it, in one sentence.
func (f *Fault) Says() string {
	switch {
	case f.Lost:
		return "Paperclip gave no clear answer, so it is not known whether the job is filed."
	case f.Kind == Down, f.Kind == Starting:
		return "Paperclip is not running, so nothing was filed."
	case f.Kind == Slow, f.Kind == Busy:
		return "Paperclip is too busy, so nothing was filed."
	case f.Kind == NoKey, f.Kind == BadKey, f.Kind == Board, f.Kind == Wide, f.Kind == OtherCompany, f.Kind == Boundary:
		return "Paperclip's key is not the right one, so nothing was filed; askhub doctor says how to mend it."
	case f.Kind == Elsewhere:
		return "Paperclip's address or company has changed since, so nothing was filed; ask again."
	default:
		return "Paperclip did not take the job, so nothing was filed."
	}
}

// again says whether the same request may end better a moment later. Where it is not
// known what became of it, asking with the same key is the way to find out.
func (f *Fault) again(left int) bool {
	switch f.Kind {
	case Down, Starting, Slow, Busy, Broken:
		return f.Lost || left > 1
	default:
		return f.Lost && f.Kind == Nonsense
	}
}
