package sqlite

import (
	"testing"

	"github.com/askhub/askhub/internal/jobs"
	"github.com/askhub/askhub/internal/jobs/jobstest"
)

func TestJobsConform(t *testing.T) {
	jobstest.Store(t, func(t *testing.T) jobs.Store { return open(t, quick(t)).Jobs() })
}

func TestJobsOutliveTheirStore(t *testing.T) {
	path := fresh(t)
	db := open(t, path)
	job := jobs.Job{Approval: "a", Person: "sam", Title: "Find a plumber", State: jobs.Waiting}
	if err := db.Jobs().Put(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := open(t, path).Jobs().Get(t.Context(), "a")
	if err != nil || got.Title != job.Title {
		t.Errorf("after opening it again: %+v, %v", got, err)
	}
}
