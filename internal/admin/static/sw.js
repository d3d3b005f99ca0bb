// The service worker shows that something waits, and no more: a push carries no content,
// and a notification has no buttons. It keeps no pages, since what waits is only true now.

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

// A browser offers to install only what answers by itself; here the network does.
self.addEventListener("fetch", () => {});

self.addEventListener("push", (event) => {
  event.waitUntil(
    self.registration.showNotification("askhub", {
      body: "Something waits for you in the admin app.",
      icon: "/static/icon-192.png",
      badge: "/static/icon-192.png",
      tag: "waiting",
    }),
  );
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(
    self.clients.matchAll({ type: "window" }).then((open) => {
      const one = open[0];
      return one ? one.focus().then((page) => page.navigate("/")).catch(() => {}) : self.clients.openWindow("/");
    }),
  );
});
