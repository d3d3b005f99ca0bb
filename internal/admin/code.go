package admin

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strings"
	"time"
)

// An enrolment code is twelve characters: four by which it is found, so that a wrong
// guess spends a try of that code alone, and eight that are secret (40 bits).
const (
	codeID     = 4
	codeSecret = 8
	// CodeLives is how long a code can be used, and codeTries how often it can be entered.
	CodeLives = 10 * time.Minute
	codeTries = 5
)

// letters are Crockford's: none looks like another.
const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// NewCode makes a code for the person. Its text is for that person's eyes; only the
// Code is kept.
func NewCode(person string, now time.Time) (c Code, text string) {
	var raw [codeID + codeSecret]byte
	_, _ = rand.Read(raw[:]) // never fails
	for i, b := range raw {
		raw[i] = letters[int(b)%len(letters)]
	}
	id, secret := string(raw[:codeID]), string(raw[codeID:])
	c = Code{ID: id, Digest: secretDigest(secret), Person: person, Expires: now.Add(CodeLives), Tries: codeTries}
	return c, id + "-" + secret[:4] + "-" + secret[4:]
}

// parseCode reads a code as people type it, in groups or not, in any case.
func parseCode(text string) (id, secret string, ok bool) {
	plain := strings.Map(func(r rune) rune {
		switch r {
		case ' ', '-', '\u2010', '\u2011', '\u2013', '\t', '\n', '\r':
			return -1
		case 'o', 'O':
			return '0'
		case 'i', 'I', 'l', 'L':
			return '1'
		}
		if r >= 'a' && r <= 'z' {
			r += 'A' - 'a'
		}
		return r
	}, text)
	if len(plain) != codeID+codeSecret || strings.Trim(plain, letters) != "" {
		return "", "", false
	}
	return plain[:codeID], plain[codeID:], true
}

func secretDigest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// opens says in constant time whether it is the code's secret.
func (c *Code) opens(secret string) bool {
	return subtle.ConstantTimeCompare([]byte(c.Digest), []byte(secretDigest(secret))) == 1
}
