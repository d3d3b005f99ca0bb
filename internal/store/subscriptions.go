package store

import (
	"context"
	"database/sql"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/notify"
)

// Subscriptions keeps who takes web pushes.
type Subscriptions struct{ notices *Notices }

var _ notify.Subscriptions = (*Subscriptions)(nil)

// Subscriptions are kept beside the notices.
func (s *Notices) Subscriptions() *Subscriptions { return &Subscriptions{s} }

const (
	addSubscription = `INSERT INTO push_subscriptions (endpoint, p256dh, auth, person, added) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (endpoint) DO UPDATE SET p256dh = excluded.p256dh, auth = excluded.auth, person = excluded.person, added = excluded.added`
	removeSubscription = `DELETE FROM push_subscriptions WHERE endpoint = $1`
	listSubscriptions  = `SELECT endpoint, p256dh, auth, person, added FROM push_subscriptions
		WHERE $1 = '' OR person = $1 ORDER BY person, added, endpoint`
)

// Add implements notify.Subscriptions.
func (s *Subscriptions) Add(ctx context.Context, sub notify.Subscription) error {
	return s.notices.within(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, addSubscription, clean(sub.Endpoint), clean(sub.P256dh), clean(sub.Auth), clean(string(sub.Person)), micro(sub.Added))
		return err
	})
}

// Remove implements notify.Subscriptions.
func (s *Subscriptions) Remove(ctx context.Context, endpoint string) error {
	return s.notices.within(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, removeSubscription, clean(endpoint))
		return err
	})
}

// Of implements notify.Subscriptions.
func (s *Subscriptions) Of(ctx context.Context, person ask.Person) ([]notify.Subscription, error) {
	if person == "" {
		return nil, nil
	}
	return s.list(ctx, person)
}

// All implements notify.Subscriptions.
func (s *Subscriptions) All(ctx context.Context) ([]notify.Subscription, error) {
	return s.list(ctx, "")
}

func (s *Subscriptions) list(ctx context.Context, person ask.Person) (list []notify.Subscription, err error) {
	rows, err := s.notices.read.QueryContext(ctx, listSubscriptions, clean(string(person)))
	err = eachRow(rows, err, func(rows *sql.Rows) error {
		var sub notify.Subscription
		var added int64
		err := rows.Scan(&sub.Endpoint, &sub.P256dh, &sub.Auth, &sub.Person, &added)
		sub.Added = instant(added)
		list = append(list, sub)
		return err
	})
	if err != nil {
		return nil, s.notices.explain(err)
	}
	return list, nil
}
