// The service worker keeps the page's own files, so that it opens without a connection.
// It never touches the chat API: what is said there is kept by nobody but the page.

// Filled in by the server.
const version = "none";
const shell = {};

const PREFIX = "askhub-chat-";
const NAME = PREFIX + version;
const PAGE = "/chat";

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches.open(NAME).then((cache) =>
      Promise.all(
        Object.entries(shell).map(async ([path, integrity]) => {
          // The digest keeps files of two releases apart, when the Hub is renewed just now.
          const response = await fetch(path, { cache: "reload", integrity });
          if (!response.ok) throw new Error(`${path} answered ${response.status}`);
          await cache.put(path, response);
        }),
      ),
    ),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== NAME).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

// The page asks for this when the person says so: a page that is in use never changes
// under their hands.
self.addEventListener("message", (event) => {
  if (event.data === "take over") self.skipWaiting();
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  const path = url.pathname === PAGE + "/" ? PAGE : url.pathname;
  if (!Object.hasOwn(shell, path)) return;
  event.respondWith(
    caches
      .open(NAME)
      .then((cache) => cache.match(path))
      .then((kept) => kept ?? fetch(request)),
  );
});
