"""The official MCP client for Python, over HTTP and on standard input and output:
ASKHUB_URL, ASKHUB_TOKEN, ASKHUB_PROGRAM, ASKHUB_CONFIG."""

import asyncio
import os

import httpx2
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

url = os.environ["ASKHUB_URL"] + "/mcp"


async def check(server, way):
    async with Client(server) as client:
        tools = {t.name: t for t in (await client.list_tools()).tools}
        assert sorted(tools) == ["ask", "capabilities", "why"], tools
        for name, tool in tools.items():
            assert tool.annotations.read_only_hint == (name != "ask"), tool
            assert "asker" not in tool.input_schema["properties"], tool
        result = await client.call_tool("ask", {"question": "what does Harry have on today?"})
        assert not result.is_error and "Harry has" in result.content[0].text, result
        assert result.structured_content["status"] == "answered", result
        why = await client.call_tool("why", {"id": result.structured_content["id"]})
        assert why.structured_content["way_in"] == way, why
        about = await client.call_tool("capabilities", {})
        assert "compass_nhs" in [p["project"] for p in about.structured_content["projects"]], about
        refusal = await client.call_tool("ask", {"question": "turn off the kids' internet"})
        assert refusal.content[0].text == "Use the admin app to change internet limits.", refusal
        wrong = await client.call_tool("ask", {"question": " "})
        assert wrong.is_error and "question" in wrong.content[0].text, wrong


async def main():
    async with httpx2.AsyncClient(headers={"Authorization": "Bearer " + os.environ["ASKHUB_TOKEN"]}) as http:
        await check(streamable_http_client(url, http_client=http), "test")
    args = ["mcp", "--config", os.environ["ASKHUB_CONFIG"]]
    await check(StdioServerParameters(command=os.environ["ASKHUB_PROGRAM"], args=[*args, "--way-in", "test"]), "test")
    await check(StdioServerParameters(command=os.environ["ASKHUB_PROGRAM"], args=[*args, "--as", "sam"]), "admin")


asyncio.run(main())
print("fine")
