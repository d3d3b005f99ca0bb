package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/askhub/askhub/internal/jobs"
)

// Jobs keeps the jobs that were asked for.
type Jobs struct {
	write, read *sql.DB
}

var (
	_ jobs.Store   = (*Jobs)(nil)
	_ jobs.Sweeper = (*Jobs)(nil)
)

// NewJobs is a store of jobs on a migrated database; write and read may be the same.
func NewJobs(write, read *sql.DB) *Jobs { return &Jobs{write: write, read: read} }

const (
	jobColumns = `approval, person, title, issue, name, state, since, next_at, tries, version`
	putJob     = `INSERT INTO jobs (` + jobColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1)
		ON CONFLICT (approval) DO NOTHING`
	getJob  = `SELECT ` + jobColumns + ` FROM jobs WHERE approval = $1`
	dueJobs = `SELECT ` + jobColumns + ` FROM jobs WHERE state <> 'over' ORDER BY next_at, approval LIMIT $1`
	saveJob = `UPDATE jobs SET person = $2, title = $3, issue = $4, name = $5, state = $6, since = $7,
		next_at = $8, tries = $9, version = version + 1 WHERE approval = $1 AND version = $10`
	sweepJobs = `DELETE FROM jobs WHERE state = 'over' AND since < $1`
)

// jobArgs are the columns of a job but its version.
func jobArgs(j *jobs.Job) []any {
	return []any{
		clean(j.Approval), clean(string(j.Person)), clean(j.Title), clean(j.Issue), clean(j.Name), string(j.State),
		j.Since.UnixMicro(), j.Next.UnixMicro(), j.Tries,
	}
}

// Put implements jobs.Store.
func (s *Jobs) Put(ctx context.Context, j jobs.Job) error {
	_, err := s.write.ExecContext(ctx, putJob, jobArgs(&j)...)
	return err
}

// Get implements jobs.Store.
func (s *Jobs) Get(ctx context.Context, approval string) (jobs.Job, error) {
	j, err := scanJob(s.read.QueryRowContext(ctx, getJob, clean(approval)))
	if errors.Is(err, sql.ErrNoRows) {
		err = jobs.ErrUnknown
	}
	return j, err
}

// Due implements jobs.Store.
func (s *Jobs) Due(ctx context.Context, most int) ([]jobs.Job, error) {
	rows, err := s.read.QueryContext(ctx, dueJobs, most)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []jobs.Job
	for rows.Next() {
		j, err := scanJob(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, j)
	}
	return list, rows.Err()
}

// Save implements jobs.Store.
func (s *Jobs) Save(ctx context.Context, j jobs.Job) error {
	done, err := s.write.ExecContext(ctx, saveJob, append(jobArgs(&j), j.Version)...)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n == 1 {
		return err
	}
	if _, err := s.Get(ctx, j.Approval); err != nil {
		return err
	}
	return jobs.ErrStale
}

// Sweep implements jobs.Sweeper.
func (s *Jobs) Sweep(ctx context.Context, before time.Time) (int, error) {
	done, err := s.write.ExecContext(ctx, sweepJobs, before.UnixMicro())
	if err != nil {
		return 0, err
	}
	n, err := done.RowsAffected()
	return int(n), err
}

func scanJob(row interface{ Scan(...any) error }) (j jobs.Job, err error) {
	var since, next int64
	err = row.Scan(&j.Approval, &j.Person, &j.Title, &j.Issue, &j.Name, &j.State, &since, &next, &j.Tries, &j.Version)
	j.Since, j.Next = time.UnixMicro(since).UTC(), time.UnixMicro(next).UTC()
	return j, err
}
