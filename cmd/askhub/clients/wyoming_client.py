"""The Python wyoming package as a voice assistant: ASKHUB_WYOMING is the address. It
sends what Home Assistant's integration sends."""

import asyncio
import os

from wyoming.asr import Transcript
from wyoming.client import AsyncTcpClient
from wyoming.error import Error
from wyoming.handle import Handled, NotHandled
from wyoming.info import Describe, Info
from wyoming.ping import Ping, Pong

host, port = os.environ["ASKHUB_WYOMING"].rsplit(":", 1)


async def say(event):
    async with AsyncTcpClient(host, int(port), connect_timeout=5, read_timeout=15) as client:
        await client.write_event(event)
        return await client.read_event()


async def hear(text, **context):
    return await say(Transcript(text, language="en-GB", context={"conversation_id": "01K", **context}).event())


async def main():
    info = Info.from_event(await say(Describe().event()))
    (service,) = info.handle
    assert service.name == "askhub" and service.installed and service.supports_home_control, service
    assert service.models[0].installed and service.models[0].languages == [], service
    assert not info.asr and not info.tts and info.satellite is None, info
    assert Pong.is_type((await say(Ping(text="x").event())).type)

    event = await hear("what does Harry have on today?", satellite_id="assist_satellite.kitchen", device_id="3c1f")
    assert Handled.is_type(event.type) and "Harry has" in Handled.from_event(event).text, event
    event = await hear("turn off the kids' internet", satellite_id="assist_satellite.kitchen")
    assert Handled.from_event(event).text == "Use the admin app to change internet limits.", event
    event = await hear("what does Harry have on today?", satellite_id="assist_satellite.attic")
    assert "Harry has" not in event.data["text"], "a guest was told"
    event = await hear("")
    assert NotHandled.is_type(event.type) and NotHandled.from_event(event).text, event
    assert not Error.is_type(event.type)


asyncio.run(main())
print("fine")
