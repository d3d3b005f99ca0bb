// The official MCP client for TypeScript, over HTTP and on standard input and output:
// ASKHUB_URL, ASKHUB_TOKEN, ASKHUB_PROGRAM, ASKHUB_CONFIG.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const url = new URL(process.env.ASKHUB_URL + "/mcp");
const http = (token) => new StreamableHTTPClientTransport(url, { requestInit: { headers: { Authorization: "Bearer " + token } } });

async function check(transport, way) {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((t) => [t.name, t.annotations.readOnlyHint]).sort(), [["ask", false], ["capabilities", true], ["why", true]]);
  const call = (name, args) => client.callTool({ name, arguments: args });
  const result = await call("ask", { question: "what does Harry have on today?" });
  assert.match(result.content[0].text, /Harry has/);
  const why = await call("why", { id: result.structuredContent.id });
  assert.equal(why.structuredContent.way_in, way);
  assert.ok((await call("capabilities", {})).structuredContent.topics.length > 0);
  const wrong = await call("why", { id: "ask_01KEXAMPLE00000000000000000" });
  assert.equal(wrong.isError, true);
  await client.close();
}

await check(http(process.env.ASKHUB_TOKEN), "test");
await assert.rejects(new Client({ name: "test", version: "1" }).connect(http("x".repeat(40))), /401|[Uu]nauthorized/);
const args = ["mcp", "--config", process.env.ASKHUB_CONFIG, "--way-in", "test"];
await check(new StdioClientTransport({ command: process.env.ASKHUB_PROGRAM, args }), "test");

console.log("fine");
