package unreachable_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/askhub/askhub/internal/api"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/unreachable"
)

// routes are the Hub's own.
func routes() []unreachable.Route {
	var out []unreachable.Route
	for _, r := range api.Routes() {
		by := []unreachable.Holder{}
		for _, h := range []struct {
			may    bool
			holder unreachable.Holder
		}{{r.WayIn, unreachable.WayIn}, {r.Admin, unreachable.Admin}, {r.Browser, unreachable.Browser}, {r.Anyone, unreachable.Nobody}} {
			if h.may {
				by = append(by, h.holder)
			}
		}
		out = append(out, unreachable.Route{Method: r.Method, Path: r.Path, By: by})
	}
	return out
}

// surface is a household with every kind of token, the shipped routing.md and a project for
// each of its rows that can have one.
func surface(t *testing.T) unreachable.Surface {
	t.Helper()
	file, problems := routing.Parse("routing.md", routing.Default())
	if routing.HasErrors(problems) {
		t.Fatal(problems)
	}
	return unreachable.Surface{
		Routes: routes(), Destinations: file.Destinations,
		Tokens: []unreachable.Token{
			{Name: "admin", Holder: unreachable.Admin},
			{Name: "phone", Holder: unreachable.WayIn},
			{Name: "kitchen", Holder: unreachable.WayIn},
			{Name: "a chat's page", Holder: unreachable.Browser},
			{Name: "internet_control", Holder: unreachable.Project},
		},
		Projects: []unreachable.Target{
			{Name: "email_agent", URL: "http://127.0.0.1:8421"},
			{Name: "compass_nhs", URL: "http://127.0.0.1:8422", Run: "compass"},
			{Name: "internet_control", URL: "http://127.0.0.1:8423", Run: "internet"},
		},
		Connectors: []unreachable.Connector{
			{Destination: "home_assistant", Addresses: []string{"http://127.0.0.1:8123/api/conversation/process"}},
			{Destination: "paperclip", Addresses: []string{"http://127.0.0.1:3100/api/jobs"}},
		},
		Secrets: []unreachable.Secret{{Var: "HUB_TOKEN_ADMIN", Print: "1"}, {Var: "HUB_TOKEN_PHONE", Print: "2"}, {Var: "PROJECT_TOKEN_INTERNET_CONTROL", Print: "3"}},
		Environ: []string{"HOME", "PATH", "PROJECT_TOKEN_INTERNET_CONTROL"},
	}
}

func TestNoControlActionIsReachable(t *testing.T) {
	proof := unreachable.Prove(surface(t))
	for _, f := range proof.Faults {
		t.Error(f)
	}
	if proof.Walks < 50 {
		t.Errorf("only %d ways were walked: something is missing from the surface", proof.Walks)
	}
}

// The proof is worth what it finds: each of these is a way in on purpose.
func TestEachWayToAControlActionIsFound(t *testing.T) {
	by := []unreachable.Holder{unreachable.WayIn}
	row := func(s *unreachable.Surface, project string) *routing.Destination {
		for i := range s.Destinations {
			if s.Destinations[i].Project == project {
				return &s.Destinations[i]
			}
		}
		t.Fatal("no such row: " + project)
		return nil
	}
	for name, c := range map[string]struct {
		open  func(*unreachable.Surface)
		where string
	}{
		"a write route by its name": {func(s *unreachable.Surface) {
			s.Routes = append(s.Routes, unreachable.Route{Method: http.MethodPost, Path: "/internet/limits", By: by})
		}, "POST /internet/limits"},
		"a write route by another name": {func(s *unreachable.Surface) {
			s.Routes = append(s.Routes, unreachable.Route{Method: http.MethodPut, Path: "/relay/{project}", By: by})
		}, "PUT /relay/{project}"},
		"a reading route that became a writing one": {func(s *unreachable.Surface) {
			s.Routes = append(s.Routes, unreachable.Route{Method: http.MethodDelete, Path: "/capabilities", By: by})
		}, "DELETE /capabilities"},
		"the service's row as a command":  {func(s *unreachable.Surface) { row(s, "internet_control").Kind = routing.KindCommand }, "routing.md:"},
		"the service's row as a decision": {func(s *unreachable.Surface) { row(s, "internet_control").Kind = routing.KindDecision }, "routing.md:"},
		"a connector to the service": {func(s *unreachable.Surface) {
			s.Connectors = append(s.Connectors, unreachable.Connector{Destination: "internet_control", Addresses: []string{"http://127.0.0.1:8423/limits"}})
		}, "internet_control"},
		"another connector that ends there": {func(s *unreachable.Surface) {
			s.Connectors[0].Addresses = append(s.Connectors[0].Addresses, "http://127.0.0.1:8423/anything")
		}, "routing.md:"},
		"a job's connector that ends there": {func(s *unreachable.Surface) {
			s.Connectors[1].Addresses = []string{"http://127.0.0.1:8423/approvals"}
			s.Routes = append(s.Routes, unreachable.Route{Method: http.MethodPost, Path: "/approve", By: []unreachable.Holder{unreachable.Admin}})
		}, "routing.md:"},
		"a project's address with a path":  {func(s *unreachable.Surface) { s.Projects[0].URL = "http://127.0.0.1:8423/limits" }, "projects.email_agent.url"},
		"a project's address with a query": {func(s *unreachable.Surface) { s.Projects[1].URL += "/?then=cut" }, "projects.compass_nhs.url"},
		"two projects at one place":        {func(s *unreachable.Surface) { s.Projects[0].URL = "http://127.0.0.1:8423" }, "projects.email_agent.url"},
		"the admin's token as the project's": {func(s *unreachable.Surface) {
			s.Secrets[2].Print = s.Secrets[0].Print
		}, "PROJECT_TOKEN_INTERNET_CONTROL"},
		"a key in the environment": {func(s *unreachable.Surface) { s.Environ = append(s.Environ, "INTERNET_CONTROL_WRITE_TOKEN") }, "INTERNET_CONTROL_WRITE_TOKEN"},
	} {
		t.Run(name, func(t *testing.T) {
			s := surface(t)
			c.open(&s)
			proof := unreachable.Prove(s)
			if len(proof.Faults) == 0 {
				t.Fatal("nothing was found")
			}
			for _, f := range proof.Faults {
				if !strings.Contains(f.Where, c.where) && !strings.Contains(f.What, c.where) {
					t.Errorf("%s: want one about %s", f, c.where)
				}
				if f.What == "" || f.Mend == "" {
					t.Errorf("%+v says no mend", f)
				}
			}
		})
	}
}
