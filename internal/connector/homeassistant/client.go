package homeassistant

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask/askclient"
	"github.com/askhub/askhub/internal/connector/hass"
	"github.com/askhub/askhub/internal/hub/dispatch"
)

// conversed is the reply of the conversation agent, as far as it is read.
type conversed struct {
	Response struct {
		Type string `json:"response_type"`
		Data struct {
			Code    string   `json:"code"`
			Success []target `json:"success"`
			Failed  []target `json:"failed"`
		} `json:"data"`
		Speech struct {
			Plain struct {
				Speech string `json:"speech"`
			} `json:"plain"`
		} `json:"speech"`
	} `json:"response"`
}

// target is what a command was about.
type target struct {
	Name string `json:"name"`
	Type string `json:"type"`
	ID   string `json:"id"`
}

// language is what the words are in.
func (c *Connector) language(ctx context.Context) string {
	return cmp.Or(dispatch.HeardFrom(ctx).Language, c.cfg.Language)
}

// converse hands the words to Home Assistant's own agent, which holds no model.
func (c *Connector) converse(ctx context.Context, words, conversation string) (conversed, error) {
	body, err := json.Marshal(map[string]string{
		"text": words, "language": c.language(ctx), "agent_id": "conversation.home_assistant", "conversation_id": conversation,
	})
	if err != nil {
		return conversed{}, err
	}
	var out conversed
	err = c.send(ctx, http.MethodPost, "/api/conversation/process", body, &out)
	var status hass.StatusError
	if errors.As(err, &status) && (status == http.StatusBadRequest || status == http.StatusNotFound) {
		return conversed{}, errNoAgent
	}
	return out, err
}

// errNoAgent is a Home Assistant without the integration conversation, or from before it
// named its own agent so.
var errNoAgent = errors.New("home assistant has no agent conversation.home_assistant; switch its integration conversation on, or update it")

// readState reads one state anew.
func (c *Connector) readState(ctx context.Context, id string) (entity, error) {
	var s wireState
	if err := c.send(ctx, http.MethodGet, "/api/states/"+url.PathEscape(id), nil, &s); err != nil {
		return entity{}, err
	}
	if s.ID != id {
		return entity{}, fmt.Errorf("%w: home assistant's reply is not the state of %s", askclient.ErrNonsense, id)
	}
	c.house.set(id, &s)
	e, _ := c.house.get(id)
	return e, nil
}

// service calls one. That it takes it does not mean that it is done.
func (c *Connector) service(ctx context.Context, name string, data map[string]any) error {
	body, err := json.Marshal(data)
	if err != nil {
		return err
	}
	var changed jsontext.Value
	return c.send(ctx, http.MethodPost, "/api/services/"+name, body, &changed)
}

// get reads a document; it can change nothing.
func (c *Connector) get(ctx context.Context, path string, to any) error {
	return c.send(ctx, http.MethodGet, path, nil, to)
}

func (c *Connector) send(ctx context.Context, method, path string, body []byte, to any) error {
	err := c.client.Call(ctx, method, path, body, to)
	var status hass.StatusError
	if errors.As(err, &status) && (status == http.StatusUnauthorized || status == http.StatusForbidden) {
		return fmt.Errorf("%w: %w", askclient.ErrRefused, ErrToken)
	}
	return err
}
