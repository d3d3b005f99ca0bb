package main

import (
	"strconv"
	"strings"

	"github.com/askhub/askhub/internal/config"
)

// configTemplate is a new household's askhub.toml. What stands in <…> is filled in.
const configTemplate = `# The Hub's settings. Whatever is left out has the value that stands here behind a #.
# Tokens and passwords are not in here; they are in the secrets file.

# Where the Hub listens. 127.0.0.1 is this machine alone, 0.0.0.0 every address of it.
<listen>

# The address that people type, where others reach the Hub. There is none by itself.
<public_url>

# What encrypts that: "local-ca" (a CA that phones install; askhub init --local-ca makes
# it), "files" (your own certificate) or "proxy" (one before the Hub does). Without this
# line nothing does.
<tls>
# tls_cert = "hub.pem"                # for files
# tls_key = "hub.key"
# trusted_proxies = ["127.0.0.1"]     # for proxy: whom to believe where a request comes from

# The file that keeps what became of each request.
store = "askhub.db"

# Where tokens and passwords are.
<secrets>

# What a guest reaches, and whoever people.toml does not name.
guest = ["home_assistant", "web_search", "speakers"]

# How long a whole request may take.
budget = "8s"

[record]
days = 30       # 0 keeps nothing but counts
text = true     # false keeps questions and answers out

[chat]
answers = "hub" # who answers where a thread has no setting: hub, host (an assistant on it) or off
threads = 500   # as many threads with messages as the host holds
origins = []    # pages from elsewhere whose scripts may call the chat: ["https://os.example"]
# webhook = "http://127.0.0.1:9000/told"      # is told of each message for the host
# webhook_token_env = "ASSISTANT_TOKEN"       # a line of the secrets file
# command = ["/usr/local/bin/tell-assistant"] # is told alike, on its standard input

[notices]
days = 30       # how long they are kept
per_project = 30 # as many of one project pass within ten minutes

# The admin app, where an adult says yes with a passkey; "askhub admin enrol" makes the code
# for the first one.
# [admin]
# listen = "127.0.0.1:8430"
# public_url = "https://askhub.home:8430"     # a name, and https: passkeys need both
# serve = true                                # false: "askhub serve" does not start it

# One table for each way in. Its token is HUB_TOKEN_ and its name in capitals.
[ways_in.phone]
askers = ["guest"]      # for whom it may speak: names from people.toml
# want = "speech"       # text, speech or notification; else the source decides
# per_minute = 60
# at_once = 4

# Home Assistant's voice, by its Wyoming integration. There is no token: who comes from
# these addresses asks as the asker here.
# [wyoming]
# listen = "0.0.0.0:10600"
# allow = ["192.168.1.20"]
# asker = "guest"
#
# [[wyoming.satellites]]
# id = "assist_satellite.kitchen"   # or a device's id
# asker = "sam"
# room = "kitchen"

# One table for each data project, named as in routing.md. Its token is PROJECT_TOKEN_
# and its name in capitals; "askhub token new --project compass_nhs" makes it.
# [projects.compass_nhs]
# url = "http://127.0.0.1:8421"
# run = "compass"       # "askhub serve" starts this shipped project by itself

# A language model that decides who is asked; without one the embedded router does.
# [model]
# provider = "openai"     # what speaks OpenAI's protocol: Ollama, llama.cpp, … Or "anthropic"
# url = "http://127.0.0.1:11434/v1"
# name = "llama3.2:3b"
# key_env = "MODEL_KEY"   # a line of the secrets file, where the server wants a key
# decide = "model"        # or "sure-first": only where the embedded router is not sure
# timeout = "5s"
# at_once = 2

# What the shipped compass project reads: one table for each calendar, tagged school
# or health. It has one of file, url and caldav.
# [[compass.calendars]]
# person = "harry"
# tag = "school"
# file = "harry-school.ics"
#
# [[compass.calendars]]
# person = "harry"
# tag = "health"
# caldav = "https://dav.example.org/harry/health/"
# username = "harry"
# password_env = "HARRY_CALDAV_PASSWORD"      # a line of the secrets file

# What the shipped email project reads: one table for each account (docs/email.md).
# [projects.email_agent]
# url = "http://127.0.0.1:8422"
# run = "email"
#
# [[email.accounts]]
# person = "sam"
# server = "imap.example.org"
# username = "sam@example.org"
# password_env = "SAM_MAIL_PASSWORD"          # an app password, where the provider has such

# What the shipped internet project sees and, after a yes in the admin app, changes
# (docs/internet.md). Tokens: "askhub token new --project internet_control" and --approval.
# [projects.internet_control]
# url = "http://127.0.0.1:8423"
# run = "internet"
#
# [internet]
# backend = "adguard"     # or "linux", where this machine is the router
# url = "http://192.168.1.2"                  # the address of AdGuard Home's page
# username = "askhub"
# password_env = "ADGUARD_PASSWORD"
#
# [[internet.devices]]
# name = "Harry's tablet"
# person = "harry"
# ids = ["02:00:00:00:00:11"]                 # MAC addresses, IP addresses, client ids

# Home Assistant acts in the house (docs/home-assistant.md). Timers and reminders need
# nothing here: askhub keeps them itself.
# [home_assistant]
# url = "http://homeassistant.local:8123"
# token_env = "HOME_ASSISTANT_TOKEN"          # a long-lived access token, in the secrets file
#
# [[home_assistant.calendars]]
# person = "sam"
# entities = ["calendar.sam", "calendar.family"]
#
# [[home_assistant.events]]                   # tells people that something has happened
# entity = "event.front_door"
# type = "ring"
# say = "Somebody is at the front door."
# people = ["everyone"]

# Where something is said aloud, by Home Assistant (docs/speakers.md).
# [speakers]
# quiet = "22:00-07:00"   # only what is urgent is said then
# tts = "tts.piper"       # what makes speech for media players
#
# [[speakers.rooms]]
# name = "kitchen"
# satellite = "assist_satellite.kitchen"      # or media_player = "media_player.kitchen"

# Searching the web by the household's own SearXNG, and the weather (docs/web-search.md).
# [web_search]
# url = "http://127.0.0.1:8888"
# latitude = 53.80        # two decimals leave the house
# longitude = -1.55
# place = "Leeds"

# What needs a person's yes.
# [approvals]
# wait = "10m"            # how long one waits for it
# days = 90               # how long it is kept

# Where jobs are filed after a yes (docs/paperclip.md). Its key is PAPERCLIP_KEY in the
# secrets file; the ids are Paperclip's own.
# [paperclip]
# url = "http://127.0.0.1:3100"
# company = "495b7272-9c34-40a5-9065-81032c0cb556"
# project = "a271ef99-1e6e-4b3a-b6ca-f78466ca48e0"
`

// openListen is where a Hub that phones reach listens.
const openListen = "0.0.0.0:8420"

// settings is a new askhub.toml.
func (c *initCmd) settings(e *env, secretsFile string) []byte {
	where := `# secrets = "~/.config/environment.d/10-secrets.conf"`
	if secretsFile != config.DefaultSecrets(e.getenv) {
		where = "secrets = " + strconv.Quote(secretsFile)
	}
	listen, tls := config.DefaultListen, `# tls = "local-ca"`
	if c.LocalCA {
		listen, tls = openListen, `tls = "local-ca"`
	}
	publicURL := `# public_url = "https://askhub.home:8420"`
	if c.PublicURL != "" {
		publicURL = "public_url = " + strconv.Quote(c.PublicURL)
	}
	return []byte(strings.NewReplacer(
		"<listen>", "listen = "+strconv.Quote(listen), "<public_url>", publicURL, "<tls>", tls, "<secrets>", where,
	).Replace(configTemplate))
}
