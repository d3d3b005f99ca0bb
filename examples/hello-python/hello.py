"""The smallest project in Python: it greets whoever asks.

It needs nothing but the standard library. Change NAME, TOPICS, PEOPLE, may_see
and answer; the rest is the ask contract.

    PORT=8421 PROJECT_TOKEN_HELLO=<at least 32 characters> python3 hello.py
"""

import concurrent.futures
import hashlib
import hmac
import json
import os
import signal
import sys
import unicodedata
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NAME = "hello"
TOPICS = ["hello", "greeting"]
PEOPLE = ["sam", "harry"]


def may_see(asker, person):
    """Says whether asker may see person's data."""
    return asker == person


def answer(question, asker, person):
    """One short sentence, or None and the reason. It only reads."""
    if "hello" not in question.lower():
        return None, "I only know how to say hello"
    return f"Hello, {person}.", None


# What follows is the contract.

MAX_BODY = 32 * 1024
MAX_QUESTION = 4000
BUDGET = 2.8  # seconds; the Hub waits for three
FIELDS = ("question", "asker", "person", "source")
TITLES = {400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout",
          411: "Length Required", 413: "Content Too Large", 415: "Unsupported Media Type", 501: "Not Implemented"}
workers = concurrent.futures.ThreadPoolExecutor(max_workers=16)


class Problem(Exception):
    """A protocol error: it is answered as application/problem+json."""

    def __init__(self, status, code, detail, field="", allow=""):
        super().__init__(code)
        self.status, self.code, self.detail, self.field, self.allow = status, code, detail, field, allow


def unique(pairs):
    """Refuses a key that stands twice, which json would take without a word."""
    found = {}
    for key, value in pairs:
        if key in found:
            raise Problem(400, "duplicate_key", f'Send "{key[:60]}" once.', key[:60])
        found[key] = value
    return found


def no_constant(name):
    raise ValueError(name)


def parse(body):
    """The question in a request's body, or a Problem that names the field."""
    try:
        fields = json.loads(body.decode("utf-8"), object_pairs_hook=unique, parse_constant=no_constant)
        json.dumps(fields, ensure_ascii=False).encode("utf-8")  # half a surrogate pair is no text
    except (ValueError, RecursionError):
        raise Problem(400, "invalid_json", "Send one JSON object in UTF-8.", "body") from None
    if not isinstance(fields, dict):
        raise Problem(400, "invalid_json", "Send one JSON object in UTF-8.", "body")
    for key in fields:
        if key not in FIELDS and key.casefold() in FIELDS:
            raise Problem(400, "key_case", f'Write "{key.casefold()}" exactly so.', key.casefold())
    question = {}
    for name in FIELDS:
        value = fields.get(name)
        if value is not None and not isinstance(value, str):
            raise Problem(400, "wrong_type", f'"{name}" must be a string.', name)
        question[name] = value or ""
    for name in ("question", "asker"):
        if not question[name].strip():
            raise Problem(400, "missing_field", f'Send "{name}".', name)
    for name in ("asker", "person", "source"):
        if any(unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") for c in question[name]):
            raise Problem(400, "invalid_field", f'Send "{name}" without control characters.', name)
    if len(question["question"]) > MAX_QUESTION:
        raise Problem(413, "question_too_long", "Ask in at most 4,000 characters.", "question")
    return question


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10  # seconds that a connection may be silent
    token = b""

    def do_GET(self):
        self.handle_call({"/health": self.health, "/capabilities": self.capabilities}, {"/ask": "POST"})

    def do_POST(self):
        self.handle_call({"/ask": self.ask}, {"/health": "GET", "/capabilities": "GET"})

    def do_other(self):
        self.handle_call({}, {"/ask": "POST", "/health": "GET", "/capabilities": "GET"})

    do_PUT = do_DELETE = do_PATCH = do_HEAD = do_OPTIONS = do_other

    def handle_call(self, calls, others):
        path = self.path.split("?")[0]
        try:
            self.check_framing()
            if path in others:
                raise Problem(405, "method_not_allowed", f"Use {others[path]} here.", allow=others[path])
            if path not in calls:
                raise Problem(404, "not_found", "There is nothing here.")
            calls[path]()
        except Problem as problem:
            self.refuse(problem)
        except (ConnectionError, TimeoutError):
            self.close_connection = True
        except Exception as cause:  # the cause goes to the log, never to the caller
            print(f"{NAME}: {type(cause).__name__}: {cause}".replace(self.token.decode(), "[token]"), file=sys.stderr)
            self.say({"answer": None, "reason": "something went wrong while looking that up"})

    def check_framing(self):
        if self.headers.defects:  # a line that is no header hides those after it
            raise Problem(400, "malformed_request", "The request's head is not proper HTTP/1.1.")
        for name in ("Authorization", "Host", "Content-Length", "Content-Type"):
            if len(self.headers.get_all(name, [])) > 1:
                raise Problem(400, "ambiguous_request", f"Send {name} once.", name)
        if "Transfer-Encoding" in self.headers:
            if "Content-Length" in self.headers:
                raise Problem(400, "ambiguous_request", "Send Content-Length or Transfer-Encoding, not both.", "Transfer-Encoding")
            raise Problem(411, "length_required", "Send a Content-Length.", "Content-Length")

    def check_token(self):
        scheme, _, given = self.headers.get("Authorization", "").partition(" ")
        digest = hashlib.sha256(given.strip().encode("utf-8", "replace")).digest()
        right = hmac.compare_digest(digest, hashlib.sha256(self.token).digest())
        if scheme.lower() != "bearer" or not right:
            raise Problem(401, "unauthorized", "Send the right bearer token.", "Authorization")

    def health(self):
        self.say({"ok": True})

    def capabilities(self):
        self.check_token()
        self.say({"project": NAME, "topics": TOPICS, "people": PEOPLE})

    def ask(self):
        self.check_token()  # before the body is read
        question = parse(self.read_body())
        asker, person = question["asker"], question["person"] or question["asker"]
        if not may_see(asker, person):
            return self.say({"answer": None, "reason": "you may not see that person's data"})
        if person not in PEOPLE:
            return self.say({"answer": None, "reason": "no data for that person"})
        work = workers.submit(answer, question["question"], asker, person)
        try:
            sentence, reason = work.result(timeout=self.time_left())
        except concurrent.futures.TimeoutError:
            work.cancel()
            sentence, reason = None, "that took too long to look up"
        self.say({"answer": sentence} if sentence else {"answer": None, "reason": reason or "no data for that question"})

    def time_left(self):
        given = self.headers.get("X-Ask-Deadline")
        if given is None:
            return BUDGET
        if not given.isascii() or not given.isdigit():
            raise Problem(400, "invalid_field", "Send milliseconds in X-Ask-Deadline.", "X-Ask-Deadline")
        return min(BUDGET, int(given[:6]) / 1000 * 0.9)

    def read_body(self):
        kind, _, parameters = self.headers.get("Content-Type", "").partition(";")
        charset = parameters.replace(" ", "").lower()
        if kind.strip().lower() != "application/json" or charset not in ("", "charset=utf-8"):
            raise Problem(415, "unsupported_media_type", "Send application/json.", "Content-Type")
        length = self.headers.get("Content-Length", "0")
        if not length.isascii() or not length.isdigit():
            raise Problem(400, "malformed_request", "Send a proper Content-Length.", "Content-Length")
        if len(length) > 9 or int(length) > MAX_BODY:
            raise Problem(413, "body_too_large", "Send at most 32 KB.", "body")
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            raise ConnectionError("the body ended early")
        return body

    def say(self, value, status=200, kind="application/json", headers=()):
        body = json.dumps(value, ensure_ascii=False).encode("utf-8")
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, text in headers:
            self.send_header(name, text)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def refuse(self, problem):
        """The body may be unread, so the connection ends with each refusal."""
        self.close_connection = True
        headers = [("Connection", "close")]
        if problem.status == 401:
            headers.append(("WWW-Authenticate", "Bearer"))
        if problem.allow:
            headers.append(("Allow", problem.allow))
        value = {"type": "about:blank", "title": TITLES.get(problem.status, "Error"), "status": problem.status,
                 "detail": problem.detail, "code": problem.code}
        if problem.field:
            value["field"] = problem.field
        self.say(value, problem.status, "application/problem+json", headers)

    def send_error(self, code, message=None, explain=None):
        """What the library itself finds wrong with a request."""
        self.command = getattr(self, "command", None)
        self.refuse(Problem(code, "malformed_request", "The request is not proper HTTP/1.1."))

    def version_string(self):
        return NAME

    def log_message(self, *args):
        """Questions are private: no line for each request."""


class Server(ThreadingHTTPServer):
    daemon_threads = True


def main():
    token = os.environ.get("PROJECT_TOKEN_" + NAME.upper(), "")
    port = os.environ.get("PORT", "")
    if len(token) < 32 or not token.isascii():
        sys.exit(f"set PROJECT_TOKEN_{NAME.upper()} to a token of at least 32 characters")
    if not port.isdigit():
        sys.exit("set PORT to a port number, such as 8421")
    Handler.token = token.encode()
    server = Server((os.environ.get("HOST", "127.0.0.1"), int(port)), Handler)
    print(f"{NAME} is listening on http://{server.server_address[0]}:{server.server_address[1]}", file=sys.stderr)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
