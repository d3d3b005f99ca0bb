package sample_test

import (
	"testing"
	"time"

	"github.com/askhub/askhub/internal/project/internet/backendtest"
	"github.com/askhub/askhub/internal/project/internet/sample"
)

func TestTheSampleConforms(t *testing.T) {
	backendtest.Check(t, func(*testing.T) backendtest.Setup {
		devices := sample.Devices()
		return backendtest.Setup{Backend: sample.New(time.Now, time.UTC), Device: devices[0], Other: devices[1], Now: time.Now}
	})
}
