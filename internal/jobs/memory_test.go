package jobs_test

import (
	"testing"

	"github.com/askhub/askhub/internal/jobs"
	"github.com/askhub/askhub/internal/jobs/jobstest"
)

func TestMemoryConforms(t *testing.T) {
	jobstest.Store(t, func(*testing.T) jobs.Store { return jobs.NewMemory() })
}
