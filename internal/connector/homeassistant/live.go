package homeassistant

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask/askclient"
)

const (
	// maxMessage is the largest message that is read: 5,000 entities are some 4 MB.
	maxMessage = 64 << 20
	// handshake is how long coming to know the house may take.
	handshake = 20 * time.Second
	// pings are how far apart the connection is tried while nothing happens.
	pings = 20 * time.Second
	// shortest and longest are the bounds of the wait before the next connection.
	shortest = time.Second
	longest  = 15 * time.Second
)

// ErrToken is a token that Home Assistant does not take.
var ErrToken = errors.New("home assistant does not take the token")

// errRefuses is a call that Home Assistant does not do.
var errRefuses = errors.New("home assistant refuses")

// Run keeps the copy of the states warm until ctx ends, through every restart of Home
// Assistant.
func (c *Connector) Run(ctx context.Context) {
	wait := shortest
	for ctx.Err() == nil {
		began := time.Now()
		err := c.follow(ctx)
		c.house.cold(time.Now(), err)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > longest {
			wait = shortest
		}
		c.cfg.Log.Warn("the connection to Home Assistant has ended; it is tried again", "cause", err, "after", wait.Round(time.Second))
		timer := time.NewTimer(wait + rand.N(wait/2))
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		wait = min(2*wait, longest)
	}
}

// message is what comes over the WebSocket, as far as it is read.
type message struct {
	ID      int            `json:"id"`
	Type    string         `json:"type"`
	Success bool           `json:"success"`
	Result  jsontext.Value `json:"result"`
	Event   jsontext.Value `json:"event"`
}

// live is one connection.
type live struct {
	conn *websocket.Conn
	id   int
	// early are events that came while something else was waited for.
	early []message
	// forecast is the subscription to the weather's forecast, 0 where there is none, and
	// weather the entity that it is of.
	// changed is whether a weather entity has changed since the forecast was asked for.
	forecast int
	weather  string
	changed  bool
	// refused are the watched events that Home Assistant does not show with this token.
	refused []string
	// ahead is by how much Home Assistant's clock is before ours, where it said so.
	ahead time.Duration
	clock bool
	// aliases are what the entities are called beside their names, as they were read.
	aliases map[string]aliases
}

// follow connects, fills the copy and follows each change until the connection ends.
func (c *Connector) follow(ctx context.Context) error {
	l, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer l.end()
	known, cancel := context.WithTimeout(ctx, handshake)
	err = c.know(known, l)
	cancel()
	if err != nil {
		return err
	}
	pinging, stop := context.WithCancel(ctx)
	defer stop()
	go l.ping(pinging)
	c.warnOf(l)
	c.forecast.set(nil)
	if err := c.askForecast(ctx, l); err != nil {
		return err
	}
	for {
		m, err := l.next(ctx)
		if err != nil {
			return err
		}
		if err := c.take(ctx, l, m); err != nil {
			return err
		}
	}
}

// connect opens the connection and shows the token.
func (c *Connector) connect(ctx context.Context) (*live, error) {
	ctx, cancel := context.WithTimeout(ctx, handshake)
	defer cancel()
	conn, resp, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(c.cfg.URL, "http")+"/api/websocket", &websocket.DialOptions{HTTPClient: c.client.HTTP()})
	if resp != nil && resp.Body != nil {
		defer resp.Body.Close()
	}
	switch {
	case err != nil && resp != nil && resp.StatusCode < http.StatusInternalServerError: // it lives, and knows no such door
		return nil, fmt.Errorf("%w: there is no home assistant: %w", askclient.ErrNonsense, err)
	case err != nil:
		return nil, fmt.Errorf("home assistant cannot be reached: %w", err)
	}
	conn.SetReadLimit(maxMessage)
	l := &live{conn: conn}
	if at, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		l.ahead, l.clock = at.Sub(c.cfg.Now()), true
	}
	for {
		m, err := l.read(ctx)
		if err == nil && m.Type == "auth_required" {
			err = l.write(ctx, map[string]any{"type": "auth", "access_token": string(c.cfg.Token())})
		}
		switch {
		case err != nil:
			_ = conn.CloseNow()
			return nil, err
		case m.Type == "auth_ok":
			return l, nil
		case m.Type == "auth_invalid":
			_ = conn.CloseNow()
			return nil, ErrToken
		}
	}
}

// know fills the copy. Changes are followed from before the states are read, so that none
// is missed in between.
func (c *Connector) know(ctx context.Context, l *live) error {
	for _, event := range append([]string{"state_changed"}, registries...) {
		if _, err := l.call(ctx, map[string]any{"type": "subscribe_events", "event_type": event}); err != nil {
			return err
		}
	}
	places, rooms, err := c.survey(ctx, l)
	if err != nil {
		return err
	}
	if l.refused, err = c.listen(ctx, l); err != nil {
		return err
	}
	var states []wireState
	if err := l.list(ctx, "get_states", &states); err != nil {
		return err
	}
	c.house.fill(states, places, rooms)
	return nil
}

// list asks for a whole list.
func (l *live) list(ctx context.Context, call string, to any) error {
	return l.ask(ctx, map[string]any{"type": call}, to)
}

// ask asks for one thing and reads its result into to.
func (l *live) ask(ctx context.Context, request map[string]any, to any) error {
	raw, err := l.call(ctx, request)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return fmt.Errorf("home assistant's reply to %s is not the expected one", request["type"])
	}
	return nil
}

// call asks for one thing and waits for its result.
func (l *live) call(ctx context.Context, request map[string]any) (jsontext.Value, error) {
	l.id++
	request["id"] = l.id
	if err := l.write(ctx, request); err != nil {
		return nil, err
	}
	for {
		m, err := l.read(ctx)
		switch {
		case err != nil:
			return nil, err
		case m.Type == "event" || m.ID != l.id: // what is another call's is taken later
			l.early = append(l.early, m)
		case m.Type == "result" && m.Success:
			return m.Result, nil
		case m.Type == "result":
			return nil, fmt.Errorf("%w %s", errRefuses, request["type"])
		}
	}
}

// next is the next event, those that came early first.
func (l *live) next(ctx context.Context) (message, error) {
	if len(l.early) == 0 {
		return l.read(ctx)
	}
	m := l.early[0]
	l.early = l.early[1:]
	return m, nil
}

func (l *live) read(ctx context.Context) (message, error) {
	_, raw, err := l.conn.Read(ctx)
	if err != nil {
		return message{}, err
	}
	var m message
	if err := json.Unmarshal(raw, &m); err != nil {
		return message{}, errors.New("home assistant sends what is no message of its protocol")
	}
	return m, nil
}

func (l *live) write(ctx context.Context, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return l.conn.Write(ctx, websocket.MessageText, raw)
}

// end leaves at once; whatever it says of that, the connection is gone.
func (l *live) end() { _ = l.conn.CloseNow() }

// ping finds out that the other side is gone, which nothing else would tell.
func (l *live) ping(ctx context.Context) {
	ticker := time.NewTicker(pings)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		bounded, cancel := context.WithTimeout(ctx, pings)
		err := l.conn.Ping(bounded)
		cancel()
		if err != nil {
			_ = l.conn.CloseNow()
			return
		}
	}
}
