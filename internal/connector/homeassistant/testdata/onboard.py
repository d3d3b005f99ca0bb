"""Makes the first user of a Home Assistant that is new, and prints an access token.

It gets a calendar and a to-do list too, which are made as its own pages make them. Its
config of HTTP is promoted: else Home Assistant goes back to listening on every address
after five minutes.
"""

import asyncio
import sys

import aiohttp

FLOWS = "/api/config/config_entries/flow"
MADE = {
    "local_calendar": {"calendar_name": "Family", "import": "create_empty"},
    "local_todo": {"todo_list_name": "Shopping"},
}
NEEDED = {"light.kitchen_lights", "cover.hall_window", "sensor.outside_temperature", "calendar.calendar_1", "lock.front_door", "timer.kitchen", "conversation.home_assistant"}


async def until(http: aiohttp.ClientSession, url: str, headers: dict[str, str], met, what: str) -> None:
    """Asks until the reply is the one that is waited for; a first start installs from PyPI."""
    for n in range(1200):
        try:
            async with http.get(url, headers=headers) as r:
                if r.status == 200 and met(await r.json()):
                    return
        except aiohttp.ClientError:
            pass
        if n % 40 == 39:
            print(f"   {n // 2 + 1} s: waiting until {what}", file=sys.stderr, flush=True)
        await asyncio.sleep(0.5)
    sys.exit(f"waited in vain until {what}")


async def main(base: str) -> None:
    async with aiohttp.ClientSession() as http:
        await until(http, f"{base}/api/onboarding", {}, lambda _: True, "it answers")
        user = {"client_id": f"{base}/", "name": "Test", "username": "test", "password": "only-for-this-test", "language": "en"}
        async with http.post(f"{base}/api/onboarding/users", json=user) as r:
            code = (await r.json())["auth_code"]
        grant = {"client_id": f"{base}/", "grant_type": "authorization_code", "code": code}
        async with http.post(f"{base}/auth/token", data=grant) as r:
            token = (await r.json())["access_token"]
        bearer = {"Authorization": f"Bearer {token}"}
        await until(http, f"{base}/api/config", bearer, lambda c: c["state"] == "RUNNING", "it has started")
        await until(http, f"{base}/api/states", bearer, lambda all: NEEDED <= {s["entity_id"] for s in all}, "the demo's devices are there")
        for handler, settings in MADE.items():
            async with http.post(base + FLOWS, json={"handler": handler}, headers=bearer) as r:
                flow = (await r.json())["flow_id"]
            async with http.post(f"{base}{FLOWS}/{flow}", json=settings, headers=bearer) as r:
                made = await r.json()
            if made.get("type") != "create_entry":
                sys.exit(f"{handler} is not set up: {made}")
        async with http.ws_connect(f"{base}/api/websocket", max_msg_size=0) as ws:
            await ws.receive_json()
            await ws.send_json({"type": "auth", "access_token": token})
            await ws.receive_json()
            await ws.send_json({"id": 1, "type": "http/config/promote"})
            await ws.receive_json()
            await ws.send_json({"id": 2, "type": "auth/long_lived_access_token", "client_name": "askhub", "lifespan": 1})
            print((await ws.receive_json())["result"])


asyncio.run(main(sys.argv[1]))
