package sqlite

import (
	"errors"
	"testing"
	"time"

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

// Brought back, a backup must not open the app to who was signed out since.
func TestACopyHoldsNoSessionAndNoCode(t *testing.T) {
	path, now := fresh(t), time.Now()
	s := open(t, path).Admin()
	key := admin.Passkey{ID: []byte("one"), Person: "sam", Handle: []byte("h"), PublicKey: []byte{1}, Created: now}
	for _, person := range []string{"sam", "tom"} {
		if _, err := s.NewCode(t.Context(), admin.Code{ID: person, Digest: "d", Person: person, Expires: now.Add(time.Hour), Tries: 3}, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.Enrol(t.Context(), "sam", key), s.Begin(t.Context(), admin.Session{Digest: "d", Passkey: key.Name(), Person: "sam", Created: now, Seen: now})); err != nil {
		t.Fatal(err)
	}
	to := path + ".copy"
	if err := Copy(t.Context(), path, to); err != nil {
		t.Fatal(err)
	}
	copied := open(t, to).Admin()
	if _, err := copied.Session(t.Context(), "d"); !errors.Is(err, admin.ErrUnknown) {
		t.Errorf("the session came along: %v", err)
	}
	if _, err := copied.Try(t.Context(), "tom", now); !errors.Is(err, admin.ErrCode) {
		t.Errorf("the code came along: %v", err)
	}
	if keys, err := copied.Passkeys(t.Context()); err != nil || len(keys) != 1 {
		t.Errorf("the passkey did not: %v, %v", keys, err)
	}
	if _, err := s.Session(t.Context(), "d"); err != nil {
		t.Errorf("the store itself lost it: %v", err)
	}
}
