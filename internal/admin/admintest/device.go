package admintest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Device is an authenticator: it makes a passkey and uses it, as a phone does after the
// finger, face or PIN. Its fields are open, so that a test can have it lie.
type Device struct {
	t testing.TB
	// Origin is what it says of the page, and Host for whom it says it.
	Origin, Host string
	key          *ecdsa.PrivateKey
	// ID and Handle are the passkey's, and Count is its counter.
	ID, Handle []byte
	Count      uint32
	// Unverified is one that did not ask for finger, face or PIN.
	Unverified bool
}

// NewDevice is one that has no passkey yet, at a page of that origin on localhost.
func NewDevice(t testing.TB, origin string) *Device {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	id := make([]byte, 32)
	_, _ = rand.Read(id)
	return &Device{t: t, Origin: origin, Host: "localhost", key: key, ID: id}
}

var b64 = base64.RawURLEncoding

// Options is what a page hands to the browser.
type Options struct {
	PublicKey struct {
		Challenge string `json:"challenge"`
		RPID      string `json:"rpId"`
		RP        struct {
			ID string `json:"id"`
		} `json:"rp"`
		User struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		} `json:"user"`
		UserVerification string `json:"userVerification"`
		Allow            []struct {
			ID string `json:"id"`
		} `json:"allowCredentials"`
	} `json:"publicKey"`
}

func (d *Device) authData(attested []byte) []byte {
	sum := sha256.Sum256([]byte(d.Host))
	flags := byte(0x01)
	if !d.Unverified {
		flags |= 0x04
	}
	if attested != nil {
		flags |= 0x40
	}
	out := append(sum[:], flags)
	out = binary.BigEndian.AppendUint32(out, d.Count)
	return append(out, attested...)
}

func (d *Device) clientData(kind, challenge string) []byte {
	raw, err := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": d.Origin, "crossOrigin": false})
	if err != nil {
		d.t.Fatal(err)
	}
	return raw
}

// Make is a new passkey.
func (d *Device) Make(o *Options) jsontext.Value {
	d.t.Helper()
	d.Handle, _ = b64.DecodeString(o.PublicKey.User.ID)
	point, err := d.key.PublicKey.Bytes()
	if err != nil {
		d.t.Fatal(err)
	}
	attested := make([]byte, 16)
	attested = binary.BigEndian.AppendUint16(attested, uint16(len(d.ID)))
	attested = append(attested, d.ID...)
	attested = append(attested, 0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20)
	attested = append(append(attested, point[1:33]...), 0x22, 0x58, 0x20)
	attested = append(attested, point[33:]...)
	data := d.authData(attested)
	object := append([]byte{0xa3, 0x63}, "fmt\x64none\x67attStmt\xa0\x68authData\x59"...)
	object = binary.BigEndian.AppendUint16(object, uint16(len(data)))
	object = append(object, data...)
	return d.said(map[string]any{
		"clientDataJSON": b64.EncodeToString(d.clientData("webauthn.create", o.PublicKey.Challenge)), "attestationObject": b64.EncodeToString(object),
		"transports": []string{"internal"},
	})
}

// Use signs a challenge.
func (d *Device) Use(o *Options) jsontext.Value {
	d.t.Helper()
	d.Count++
	return d.Sign(o.PublicKey.Challenge)
}

// Sign signs a challenge and leaves the counter as it is.
func (d *Device) Sign(challenge string) jsontext.Value {
	d.t.Helper()
	client, data := d.clientData("webauthn.get", challenge), d.authData(nil)
	hash := sha256.Sum256(client)
	signed := sha256.Sum256(append(append([]byte{}, data...), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, d.key, signed[:])
	if err != nil {
		d.t.Fatal(err)
	}
	return d.said(map[string]any{
		"clientDataJSON": b64.EncodeToString(client), "authenticatorData": b64.EncodeToString(data),
		"signature": b64.EncodeToString(signature), "userHandle": b64.EncodeToString(d.Handle),
	})
}

func (d *Device) said(response map[string]any) jsontext.Value {
	raw, err := json.Marshal(map[string]any{
		"id": b64.EncodeToString(d.ID), "rawId": b64.EncodeToString(d.ID), "type": "public-key", "response": response, "clientExtensionResults": map[string]any{},
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return raw
}
