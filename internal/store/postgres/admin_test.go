package postgres

import (
	"testing"

	"github.com/askhub/askhub/internal/admin"
	"github.com/askhub/askhub/internal/admin/admintest"
)

func TestTheAdminStoreConforms(t *testing.T) {
	admintest.Run(t, func(t *testing.T) admin.Store { return open(t, fresh(t)).Admin() })
}

func TestPushesGoWithTheLastPasskey(t *testing.T) {
	db := open(t, fresh(t))
	admintest.RunPushes(t, db.Admin(), db.Notices().Subscriptions())
}
