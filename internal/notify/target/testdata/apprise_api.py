"""Stands in for an Apprise API server, which is in no package registry.

It answers as that server's documentation says: 200 where everything was sent, 204 where
nothing is kept under the key, 424 where a service failed or none has the tag. What has
which tag, and what sending comes to, is the real apprise library's to say.

    python apprise_api.py PORT KEY URL[ TAGS]…
"""

import http.server
import json
import sys

import apprise

port, key = int(sys.argv[1]), sys.argv[2]
services = apprise.Apprise()
for line in sys.argv[3:]:
    url, _, tags = line.partition(" ")
    if not services.add(url, tag=tags.split(",") if tags else None):
        sys.exit("not an Apprise URL: " + url)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(200)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/notify/" + key:
            return self.answer(204 if self.path.startswith("/notify/") else 404)
        sent = services.notify(body=body["body"], title=body.get("title", ""), notify_type=body.get("type", "info"), tag=body.get("tag"))
        self.answer(200 if sent else 424)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
