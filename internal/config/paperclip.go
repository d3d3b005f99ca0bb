package config

import (
	"strings"

	"github.com/askhub/askhub/internal/pattern"
)

// PaperclipKey is the secret that holds Paperclip's key.
const PaperclipKey = "PAPERCLIP_KEY"

// Paperclip is where jobs are filed after a yes. All ids are Paperclip's own.
type Paperclip struct {
	// URL is its address, with no slash at its end; empty where there is none.
	URL string `toml:"url"`
	// Company is whose issues jobs become.
	Company string `toml:"company"`
	// Project and Parent say where in it they belong: one of them is set, since the key is
	// bound to one.
	Project string `toml:"project"`
	Parent  string `toml:"parent"`
	// Assignee is the agent that gets each job; empty leaves that to a person.
	Assignee string `toml:"assignee"`
}

// Configured says whether there is a Paperclip.
func (p Paperclip) Configured() bool { return p.URL != "" }

// idForm is an id as Paperclip makes them.
var idForm = pattern.Lazy(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// paperclip checks [paperclip].
func (v *check) paperclip() {
	p := &v.c.Paperclip
	if _, set := v.at["paperclip"]; !set {
		return
	}
	p.URL = strings.TrimSuffix(strings.TrimRight(p.URL, "/"), "/api")
	u := v.address("paperclip.url", p.URL)
	switch {
	case u == nil:
	case u.RawQuery != "" || u.ForceQuery:
		v.fault("paperclip.url", "must have no query; askhub adds /api and the like itself")
	case u.Scheme == "http" && !Loopback(u.Hostname()):
		v.warn("paperclip.url", "its key and your jobs go over the network unencrypted; use https://, or a Paperclip on this machine")
	}
	for field, id := range map[string]*string{"company": &p.Company, "project": &p.Project, "parent": &p.Parent, "assignee": &p.Assignee} {
		*id = strings.ToLower(*id)
		switch {
		case *id == "" && field == "company":
			v.fault("paperclip.company", `must be the company's id, like "495b7272-9c34-40a5-9065-81032c0cb556"; it stands in the address of its board and in "GET /api/companies"`)
		case *id != "" && !idForm().MatchString(*id):
			v.fault("paperclip."+field, `must be an id of Paperclip's, like "495b7272-9c34-40a5-9065-81032c0cb556", and not a name`)
		}
	}
	if (p.Project == "") == (p.Parent == "") {
		v.fault("paperclip.project", "must say where jobs belong: the project, or the issue in parent, to which the key is bound; set one of the two")
	}
}
