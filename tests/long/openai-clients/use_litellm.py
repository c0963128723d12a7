"""The usual calls of the Python package litellm."""

import json
import unittest

import litellm
import report
from setting import (
    ASK_ONE_CITY,
    ASK_TWO_CITIES,
    BASE_URL,
    FORECAST,
    GREETING,
    MODEL,
    OSLO,
    TOKEN,
    WEATHER_TOOL,
    CityWeather,
    user,
)

litellm.telemetry = False
# It prints hints about errors to the output.
litellm.suppress_debug_info = True

SERVER = {"model": f"openai/{MODEL}", "api_base": BASE_URL, "api_key": TOKEN}


def complete(messages, **options):
    return litellm.completion(messages=messages, num_retries=0, **{**SERVER, **options})


class Completions(unittest.TestCase):
    def test_completes(self):
        self.assertEqual(complete(user("Hi")).choices[0].message.content, GREETING)

    def test_streams(self):
        chunks = complete(user("Hi"), stream=True, stream_options={"include_usage": True})
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        self.assertEqual(text, GREETING)

    def test_calls_tools(self):
        messages = user(ASK_TWO_CITIES)
        message = complete(messages, tools=[WEATHER_TOOL]).choices[0].message
        self.assertEqual(len(message.tool_calls), 2)
        messages.append(message)
        for call in message.tool_calls:
            messages.append({"role": "tool", "tool_call_id": call.id, "name": "get_weather", "content": "sun"})
        self.assertEqual(complete(messages, tools=[WEATHER_TOOL]).choices[0].message.content, FORECAST)

    def test_streams_a_tool_call(self):
        chunks = list(complete(user(ASK_ONE_CITY), tools=[WEATHER_TOOL], stream=True))
        choice = litellm.stream_chunk_builder(chunks).choices[0]
        self.assertEqual(choice.finish_reason, "tool_calls")
        self.assertEqual(json.loads(choice.message.tool_calls[0].function.arguments), {"city": "Oslo"})

    def test_chooses_a_tool(self):
        choice = {"type": "function", "function": {"name": "get_weather"}}
        message = complete(user("Hi"), tools=[WEATHER_TOOL], tool_choice=choice).choices[0].message
        self.assertEqual([call.function.name for call in message.tool_calls], ["get_weather"])

    def test_answers_in_the_form_of_a_schema(self):
        answer = complete(user("Hi"), response_format=CityWeather).choices[0].message.content
        self.assertEqual(CityWeather.model_validate_json(answer), OSLO)

    def test_raises_an_error_of_its_kind(self):
        with self.assertRaises(litellm.AuthenticationError):
            complete(user("Hi"), api_key="wrong")


class Responses(unittest.TestCase):
    def test_responds(self):
        response = litellm.responses(input="Hi", **SERVER)
        self.assertEqual(response.output[-1].content[0].text, GREETING)


report.main()
