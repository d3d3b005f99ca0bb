package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/notify/webpush"
)

// The names in a backup.
const (
	manifestName = "manifest.json"
	storeName    = "store.db"
	secretsName  = "secrets.conf"
)

// configNames are the files without which there is no household.
var configNames = []string{config.FileName, config.RoutingName, config.PeopleName}

const (
	archiveFormat = 1
	// maxManifest and maxText bound what a damaged backup can make us read, in bytes.
	maxManifest = 64 << 10
	maxText     = 4 << 20
)

// archiveOrder is every name that a backup may hold, the manifest apart.
var archiveOrder = []string{
	config.FileName, config.RoutingName, config.PeopleName, config.LocalCAName, bedtimesName, storeName, secretsName, config.LocalCAKeyName, webpush.KeyName,
}

// manifest is the first file of a backup and says what the others are.
type manifest struct {
	Format int            `json:"format"`
	Made   time.Time      `json:"made"`
	Askhub string         `json:"askhub"`
	Files  []manifestFile `json:"files"`
}

type manifestFile struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// writeArchive packs the files (name in the backup → path) into w.
func writeArchive(ctx context.Context, w io.Writer, files map[string]string, made time.Time) error {
	m := manifest{Format: archiveFormat, Made: made.UTC(), Askhub: versionText()}
	for _, name := range archiveOrder {
		path, ok := files[name]
		if !ok {
			continue
		}
		f, err := describe(name, path)
		if err != nil {
			return err
		}
		m.Files = append(m.Files, f)
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	gz := gzip.NewWriter(w)
	tw := tar.NewWriter(gz)
	if err := addFile(tw, manifestName, int64(len(text)), made, bytes.NewReader(text)); err != nil {
		return err
	}
	for _, f := range m.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := addPath(tw, f, made, files[f.Name]); err != nil {
			return fmt.Errorf("%s: %w", files[f.Name], err)
		}
	}
	return errors.Join(tw.Close(), gz.Close())
}

func describe(name, path string) (manifestFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return manifestFile{}, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	return manifestFile{name, n, hex.EncodeToString(h.Sum(nil))}, err
}

func addPath(tw *tar.Writer, f manifestFile, made time.Time, path string) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	return addFile(tw, f.Name, f.Bytes, made, in)
}

func addFile(tw *tar.Writer, name string, size int64, made time.Time, r io.Reader) error {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: made.UTC(), Format: tar.FormatPAX}
	if err := tw.WriteHeader(h); err != nil {
		return err
	}
	_, err := io.Copy(tw, r)
	return err
}

// errNotBackup is a file that is no backup, or a damaged one.
var errNotBackup = errors.New("this is not a whole backup")

// readArchive unpacks a backup into the empty folder and checks all of it against
// its manifest; without a folder it only checks.
func readArchive(ctx context.Context, r io.Reader, dir string) (manifest, error) {
	m, err := unpack(ctx, r, dir)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: %w", errNotBackup, err)
	}
	return m, err
}

func unpack(ctx context.Context, r io.Reader, dir string) (m manifest, err error) {
	gz, err := gzip.NewReader(r)
	if err != nil {
		return m, err
	}
	tr := tar.NewReader(gz)
	head, err := tr.Next()
	if err != nil {
		return m, err
	}
	if head.Name != manifestName || head.Size > maxManifest {
		return m, errors.New("it does not begin with a manifest")
	}
	text, err := io.ReadAll(io.LimitReader(tr, maxManifest))
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, errors.New("its manifest cannot be read")
	}
	if err := m.check(); err != nil {
		return m, err
	}
	for _, f := range m.Files {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		head, err := tr.Next()
		if err != nil {
			return m, fmt.Errorf("%s is missing: %w", f.Name, err)
		}
		if head.Name != f.Name || head.Typeflag != tar.TypeReg || head.Size != f.Bytes {
			return m, fmt.Errorf("%s is not as its manifest says", f.Name)
		}
		if err := unpackFile(tr, f, dir); err != nil {
			return m, err
		}
	}
	if _, err := tr.Next(); err != io.EOF {
		return m, errors.New("it holds more than its manifest says")
	}
	// Reading to the end checks gzip's own sum.
	_, err = io.Copy(io.Discard, gz)
	return m, err
}

// check refuses what another version made, and names that are not ours: those would
// lead out of the folder.
func (m *manifest) check() error {
	if m.Format != archiveFormat {
		return fmt.Errorf("its format is %d and this version reads %d; use the askhub that made it (%s)", m.Format, archiveFormat, m.Askhub)
	}
	var names []string
	for _, f := range m.Files {
		if !slices.Contains(archiveOrder, f.Name) || slices.Contains(names, f.Name) {
			return fmt.Errorf("it holds %q, which no backup does, or does twice", f.Name)
		}
		if f.Bytes < 0 || (f.Name != storeName && f.Bytes > maxText) {
			return fmt.Errorf("%s is too large", f.Name)
		}
		names = append(names, f.Name)
	}
	for _, name := range configNames {
		if !slices.Contains(names, name) {
			return fmt.Errorf("it holds no %s", name)
		}
	}
	return nil
}

func unpackFile(r io.Reader, f manifestFile, dir string) (err error) {
	h := sha256.New()
	var out io.Writer = h
	if dir != "" {
		file, fault := os.OpenFile(filepath.Join(dir, f.Name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if fault != nil {
			return fault
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		out = io.MultiWriter(h, file)
	}
	if _, err := io.Copy(out, r); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	if hex.EncodeToString(h.Sum(nil)) != f.SHA256 {
		return fmt.Errorf("%s is damaged: its checksum differs", f.Name)
	}
	return nil
}
