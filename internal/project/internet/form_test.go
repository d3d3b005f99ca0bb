package internet

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
)

// everything is a scene in which each change can be asked for.
func everything() *scene {
	can := Ability{Can: true}
	long := strings.Repeat(strings.Repeat("a", 60)+".", 4) + "example"
	return &scene{
		can: Abilities{Name: "a network", Timed: can, Bedtime: can, Limit: can, Sites: can, Services: can, Cutting: "as it is done there"},
		devices: []standing{
			{Device{Name: strings.Repeat("d", maxDeviceName)}, State{Sites: []string{long, long + "s", "tiktok.com"}, Services: []string{"youtube"}}},
			{Device{Name: "cut"}, State{Off: true, Limit: 60, Spent: true, Bedtime: &Bedtime{From: 21 * 60, To: 7 * 60, Days: Days}}},
		},
		services: []Service{{"youtube", "YouTube"}, {"tiktok", "TikTok"}},
		now:      time.Date(2026, time.November, 30, 22, 0, 0, 0, time.UTC),
	}
}

// FuzzAForm holds that whatever a form comes back with, what is made of it is fit to be
// shown to a person, and is of a device that there is; and that all else is refused by field.
func FuzzAForm(f *testing.F) {
	for i := range changes {
		f.Add(i, []byte(`{"device":"cut","minutes":30,"from":"22:00","to":"06:00","days":["mon"],"site":"a.example","service":"tiktok","blocked":"x"}`))
	}
	device := strings.Repeat("d", maxDeviceName)
	f.Add(6, []byte(`{"device":"`+device+`","site":"`+strings.Repeat("a.", 120)+`example"}`))
	f.Add(7, []byte(`{"blocked":"`+device+`/tiktok.com"}`))
	f.Add(4, []byte(`{"device":"`+device+`","from":"21:00","to":"07:00","days":"mon, tue,mon"}`))
	f.Fuzz(func(t *testing.T, kind int, raw []byte) {
		c := changes[uint(kind)%uint(len(changes))]
		var fields map[string]jsontext.Value
		if json.Unmarshal(raw, &fields) != nil {
			return
		}
		s := everything()
		in, problem := c.read(s, fields)
		var m made
		if problem == nil {
			m, problem = c.make(s, in)
		}
		if problem != nil {
			if problem.Field == "" || problem.Detail == "" {
				t.Errorf("%s: it says %+v", raw, problem)
			}
			return
		}
		if ask.CheckSafe(m.what) != nil || utf8.RuneCountInString(m.what) > approve.MaxWhat || strings.Count(m.what, "\n") > 0 {
			t.Errorf("%s: it would show %q", raw, m.what)
		}
		before := s.devices[slices.IndexFunc(s.devices, func(d standing) bool { return d.Name == m.device.Name })]
		if m.after.Equal(before.State) && m.minutes == 0 {
			t.Errorf("%s: %q changes nothing", raw, m.what)
		}
		for _, site := range m.after.Sites {
			if !GoodSite(site) {
				t.Errorf("%s: it would block %q", raw, site)
			}
		}
	})
}
