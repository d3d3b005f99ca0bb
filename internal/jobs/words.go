package jobs

import (
	"strings"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/internal/people"
)

// what is the approval's one sentence.
func what(title string) string { return "File the job " + quoted(title) + "." }

func quoted(title string) string { return "“" + title + "”" }

// titleOf is the title that what made the sentence of.
func titleOf(a approve.Approval) string {
	_, title, _ := strings.Cut(a.What, "“")
	if at := strings.LastIndex(title, "”"); at >= 0 {
		return title[:at]
	}
	return a.What
}

// outcome says how an approval stands that waits no more. Name is what the job is called
// on the bench, where that is known. Only what is certain is said as done.
func outcome(a approve.Approval, name string) string {
	return spoken(titleOf(a), func(job string) string { return outcomeOf(a, job, name) })
}

func outcomeOf(a approve.Approval, job, name string) string {
	message, by := "", ""
	if a.Result != nil {
		message, by = a.Result.Message, a.Result.By
	}
	switch a.State {
	case approve.Done:
		if name != "" {
			return job + " is filed as " + name + "."
		}
		return joined(job+" is filed", message)
	case approve.Denied:
		if by != "" {
			return job + " was not filed: " + people.Spoken(by) + " said no."
		}
		return job + " was not approved, so nothing was filed."
	case approve.Expired:
		return job + " was not filed: nobody said yes in time."
	case approve.Failed:
		return joined(job+" was approved and could not be filed", message)
	case approve.Unknown:
		return job + " may or may not be filed: please look at the work bench before you ask for it again."
	default: // approved, executing
		return job + " is approved and is being filed."
	}
}

// spoken is the sentence about the job by its title, or about "a job of yours" where the
// title holds something that is not said aloud, such as a link or a second sentence.
func spoken(title string, sentence func(job string) string) string {
	if s := sentence("The job " + quoted(title)); ask.CheckSentence(s, false) == nil {
		return s
	}
	return sentence("A job of yours")
}

// joined is a sentence with what a bench said of it.
func joined(sentence, message string) string {
	if message == "" {
		return sentence + "."
	}
	return sentence + ": " + message
}

// ended says what became of a filed job.
func ended(j Job, p Progress) string {
	return spoken(j.Title, func(job string) string {
		switch job += ", " + j.Name + ","; p {
		case Finished:
			return job + " is done."
		case Cancelled:
			return job + " was cancelled."
		case Unseen:
			return job + " cannot be seen from here any more, so its end will not be told."
		default:
			return job + " is not on the work bench any more."
		}
	})
}
