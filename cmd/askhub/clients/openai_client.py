"""The official OpenAI client for Python against a running Hub: ASKHUB_URL, ASKHUB_TOKEN."""

import os

import openai

url = os.environ["ASKHUB_URL"] + "/v1"
client = openai.OpenAI(base_url=url, api_key=os.environ["ASKHUB_TOKEN"], max_retries=0)


def ask(content, **more):
    return client.chat.completions.create(model="askhub", messages=[{"role": "user", "content": content}], **more)


def refused(kind, content="hello", **more):
    try:
        ask(content, **more)
    except kind as e:
        assert e.body["message"] and e.body["code"], e.body
        return e.body
    raise AssertionError(f"{kind.__name__} was expected")


assert [m.id for m in client.models.list()] == ["askhub"]
assert client.models.retrieve("askhub").object == "model"

whole = ask("what does Harry have on today?")
answer = whole.choices[0].message.content
assert "Harry has" in answer and whole.choices[0].finish_reason == "stop", whole
assert whole.id.startswith("ask_") and whole.usage.total_tokens == 0, whole

said, last = "", None
for chunk in ask("what does Harry have on today?", stream=True, stream_options={"include_usage": True}):
    last = chunk
    for choice in chunk.choices:
        said += choice.delta.content or ""
assert said == answer and last.usage.total_tokens == 0, (said, last)

assert ask("turn off the kids' internet").choices[0].message.content == "Use the admin app to change internet limits."

picture = [{"type": "text", "text": "what is this?"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]
assert refused(openai.BadRequestError, picture)["param"] == "messages.0.content.1.type"
assert refused(openai.BadRequestError, " ")["param"] == "messages.0.content"
assert refused(openai.BadRequestError, n=2)["param"] == "n"
assert refused(openai.PermissionDeniedError, user="emma")["code"] == "asker_not_allowed"
tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}]
assert ask("what does Harry have on today?", tools=tools).choices[0].message.content == answer
assert refused(openai.BadRequestError, tools=tools, tool_choice="required")["param"] == "tool_choice"
try:
    client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": "hi"}])
    raise AssertionError("there is no such model")
except openai.NotFoundError as e:
    assert e.body["code"] == "model_not_found", e.body
try:
    openai.OpenAI(base_url=url, api_key="x" * 40, max_retries=0).models.list()
    raise AssertionError("a wrong token")
except openai.AuthenticationError as e:
    assert e.body["code"] == "unauthorized", e.body

print("fine")
