package linux

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/internal/project/internet"
)

// table is this program's own, in the family inet, which is IPv4 and IPv6.
const table = "askhub"

// family of sets: for MAC addresses, and for addresses of both kinds.
type family struct{ hardware, ip4, ip6 string }

// cutSets hold what is cut, bedSets what is off by the clock: in its bedtime, or with its
// day's limit spent. useSets count what devices with a limit send.
var (
	cutSets = family{"cut_mac", "cut_ip4", "cut_ip6"}
	bedSets = family{"bed_mac", "bed_ip4", "bed_ip6"}
	useSets = family{"use_mac", "use_ip4", "use_ip6"}
)

func (f family) has(set string) bool { return set == f.hardware || set == f.ip4 || set == f.ip6 }

// element is an id in a set.
type element struct{ set, id string }

// holding is how an element is held.
type holding struct {
	// left is how long it stays; 0 is until it is taken out.
	left time.Duration
	// bytes is what it has sent since it was put in, in a set that counts.
	bytes int64
}

type elements map[element]holding

// idsIn are the device's ids as elements of the sets.
func idsIn(d internet.Device, in family) []element {
	hardware, addresses := idsOf(d)
	var out []element
	for _, id := range hardware {
		out = append(out, element{in.hardware, id})
	}
	for _, ip := range addresses {
		if ip.Is4() {
			out = append(out, element{in.ip4, ip.String()})
		} else {
			out = append(out, element{in.ip6, ip.String()})
		}
	}
	return out
}

// setup makes the table, its sets and its rules, where they are not there or not whole. The
// rules are written anew in one transaction; the sets keep what they hold. Packets both from a
// device and to its addresses are dropped, before the router's own rules see them.
func setup() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "add table inet %s\n", table)
	for _, f := range []family{cutSets, bedSets} {
		fmt.Fprintf(&b, "add set inet %s %s { type ether_addr; flags timeout; }\n", table, f.hardware)
		fmt.Fprintf(&b, "add set inet %s %s { type ipv4_addr; flags timeout; }\n", table, f.ip4)
		fmt.Fprintf(&b, "add set inet %s %s { type ipv6_addr; flags timeout; }\n", table, f.ip6)
	}
	fmt.Fprintf(&b, "add set inet %s %s { type ether_addr; counter; }\n", table, useSets.hardware)
	fmt.Fprintf(&b, "add set inet %s %s { type ipv4_addr; counter; }\n", table, useSets.ip4)
	fmt.Fprintf(&b, "add set inet %s %s { type ipv6_addr; counter; }\n", table, useSets.ip6)
	fmt.Fprintf(&b, "add chain inet %s forward { type filter hook forward priority -10; policy accept; }\n", table)
	fmt.Fprintf(&b, "flush chain inet %s forward\n", table)
	for _, f := range []family{cutSets, bedSets} {
		for _, match := range []string{
			"ether saddr @" + f.hardware, "ip saddr @" + f.ip4, "ip daddr @" + f.ip4, "ip6 saddr @" + f.ip6, "ip6 daddr @" + f.ip6,
		} {
			fmt.Fprintf(&b, "add rule inet %s forward %s counter drop\n", table, match)
		}
	}
	for _, match := range []string{"ether saddr @" + useSets.hardware, "ip saddr @" + useSets.ip4, "ip6 saddr @" + useSets.ip6} {
		fmt.Fprintf(&b, "add rule inet %s forward %s\n", table, match) // what was dropped does not come here
	}
	return []byte(b.String())
}

// rulesInTable and setsInTable are how many setup makes.
const rulesInTable, setsInTable = 13, 9

// nftReply is what `nft -j list` prints.
type nftReply struct {
	All []struct {
		Set *struct {
			Name string           `json:"name"`
			Elem []jsontext.Value `json:"elem"`
		} `json:"set"`
		Rule *struct{} `json:"rule"`
	} `json:"nftables"`
}

// errNoTable is a router in which the table is not there, or not whole.
var errNoTable = errors.New("the table is not there")

// held is what the sets hold. The table is made where it is not there.
func (r *Router) held(ctx context.Context) (elements, error) {
	held, err := r.list(ctx)
	if !errors.Is(err, errNoTable) {
		return held, err
	}
	if _, err := run(ctx, r.o.Nft, setup(), "-f", "-"); err != nil {
		return nil, r.failed(err)
	}
	return r.list(ctx)
}

func (r *Router) list(ctx context.Context) (elements, error) {
	raw, err := run(ctx, r.o.Nft, nil, "-j", "list", "table", "inet", table)
	if err != nil {
		if strings.Contains(err.Error(), "No such file or directory") {
			return nil, errNoTable
		}
		return nil, r.failed(err)
	}
	var reply nftReply
	if err := json.Unmarshal(raw, &reply); err != nil {
		return nil, unable("this router's packet filter cannot be read", err)
	}
	held, rules, sets := elements{}, 0, 0
	for _, item := range reply.All {
		if item.Rule != nil {
			rules++
		}
		if item.Set == nil {
			continue
		}
		sets++
		for _, raw := range item.Set.Elem {
			id, how, err := readElement(raw)
			if err != nil {
				return nil, unable("this router's packet filter cannot be read", err)
			}
			held[element{item.Set.Name, id}] = how
		}
	}
	if rules != rulesInTable || sets < setsInTable {
		return nil, errNoTable
	}
	return held, nil
}

// readElement reads "a" or {"elem": {"val": "a", "timeout": 60, "expires": 59}}.
func readElement(raw jsontext.Value) (id string, how holding, err error) {
	if raw.Kind() == '"' {
		err = json.Unmarshal(raw, &id)
		return internet.CanonicalID(id), how, err
	}
	var e struct {
		Elem struct {
			Val     string `json:"val"`
			Timeout int64  `json:"timeout"`
			Expires int64  `json:"expires"`
			Counter struct {
				Bytes int64 `json:"bytes"`
			} `json:"counter"`
		} `json:"elem"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return "", how, err
	}
	if e.Elem.Timeout > 0 { // the last second of it is still some time
		how.left = max(time.Duration(e.Elem.Expires)*time.Second, time.Millisecond)
	}
	how.bytes = e.Elem.Counter.Bytes
	return internet.CanonicalID(e.Elem.Val), how, nil
}

// failed is what a command's end means. What nft did not take it has not done: a
// transaction is whole or nothing. Of one that was cut short nobody knows.
func (r *Router) failed(err error) error {
	var down *internet.UnableError
	switch {
	case errors.As(err, &down):
		return err
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return fmt.Errorf("%w: %w", internet.ErrUncertain, err)
	}
	return unable("this router's packet filter did not take it", err)
}

// transact runs commands on the sets as one transaction.
func (r *Router) transact(ctx context.Context, commands []string) error {
	if len(commands) == 0 {
		return nil
	}
	_, err := run(ctx, r.o.Nft, []byte(strings.Join(commands, "\n")+"\n"), "-f", "-")
	if err != nil {
		return r.failed(err)
	}
	return nil
}

// put are the commands that put the elements in for that long, 0 for good, or take them out.
func put(ids []element, in bool, left time.Duration) []string {
	var out []string
	for _, e := range ids {
		// Added first, so that taking it out cannot fail; taken out first, so that its time is new.
		out = append(out, fmt.Sprintf("add element inet %s %s { %s }", table, e.set, e.id), fmt.Sprintf("delete element inet %s %s { %s }", table, e.set, e.id))
		if !in {
			continue
		}
		timeout := ""
		if left > 0 {
			timeout = fmt.Sprintf(" timeout %ds", max(1, int(left.Round(time.Second)/time.Second)))
		}
		out = append(out, fmt.Sprintf("add element inet %s %s { %s%s }", table, e.set, e.id, timeout))
	}
	return out
}

// cut takes the device out of the internet, or gives it back.
func (r *Router) cut(ctx context.Context, d internet.Device, after internet.State) error {
	left := time.Duration(0)
	if !after.Until.IsZero() {
		if left = after.Until.Sub(r.o.Now()); left <= 0 {
			return unable("the time for it is over", nil)
		}
	}
	if err := r.transact(ctx, put(idsIn(d, cutSets), after.Off, left)); err != nil {
		return err
	}
	held, err := r.held(ctx)
	if err != nil {
		return fmt.Errorf("%w: it could not be read back: %w", internet.ErrUncertain, err)
	}
	if off, _, whole := cutBy(d, held, r.o.Now()); off != after.Off || off && !whole {
		return fmt.Errorf("%w: it reads back otherwise", internet.ErrUncertain)
	}
	return nil
}

// tellOdd says in the log what of the sets is not as the settings are: devices that are cut by
// some of their ids alone, and elements that no device has any more.
func (r *Router) tellOdd(held elements) {
	known := map[element]bool{}
	for _, d := range r.o.Devices {
		for _, in := range []family{cutSets, bedSets} {
			for _, e := range idsIn(d, in) {
				known[e] = true
			}
		}
		if off, _, whole := cutBy(d, held, r.o.Now()); off && !whole {
			r.o.Slog.Warn("a device is cut by some of its ids alone, because they were changed after the cut: give it back, and cut it again if it is to be off", "device", d.Name)
		}
	}
	for e, how := range held {
		if known[e] || !cutSets.has(e.set) && !bedSets.has(e.set) {
			continue
		}
		mend := fmt.Sprintf("nft delete element inet %s %s '{ %s }'", table, e.set, e.id)
		if how.left > 0 {
			r.o.Slog.Warn("the router holds back what no device of the settings is, until that ends by itself", "id", e.id, "left", how.left, "mend", mend)
		} else {
			r.o.Slog.Warn("the router holds back what no device of the settings is, for good", "id", e.id, "mend", mend)
		}
	}
}

// isHardware says that an id is a MAC address.
func isHardware(id string) bool {
	_, err := net.ParseMAC(id)
	return err == nil
}
