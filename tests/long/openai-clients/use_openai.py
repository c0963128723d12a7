"""The usual calls of the Python package openai."""

import json
import unittest

import openai
import report
from setting import (
    ASK_ONE_CITY,
    ASK_TWO_CITIES,
    BASE_URL,
    FORECAST,
    GREETING,
    MODEL,
    OSLO,
    PICTURE_URL,
    TOKEN,
    WEATHER_FUNCTION,
    WEATHER_TOOL,
    CityWeather,
    user,
)

client = openai.OpenAI(base_url=BASE_URL, api_key=TOKEN, max_retries=0)
async_client = openai.AsyncOpenAI(base_url=BASE_URL, api_key=TOKEN, max_retries=0)


def complete(messages, **options):
    return client.chat.completions.create(model=MODEL, messages=messages, **options).choices[0]


class ChatCompletions(unittest.TestCase):
    def test_lists_models(self):
        self.assertEqual(client.models.list().data[0].id, MODEL)

    def test_completes(self):
        self.assertEqual(complete(user("Hi")).message.content, GREETING)

    def test_streams(self):
        stream = client.chat.completions.create(model=MODEL, messages=user("Hi"), stream=True)
        text = "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)
        self.assertEqual(text, GREETING)

    def test_streams_events_of_a_tool_call(self):
        with client.chat.completions.stream(
            model=MODEL, messages=user(ASK_ONE_CITY), tools=[WEATHER_TOOL]
        ) as stream:
            types = {event.type for event in stream}
            completion = stream.get_final_completion()
        self.assertIn("tool_calls.function.arguments.done", types)
        self.assertEqual(completion.choices[0].message.tool_calls[0].function.name, "get_weather")

    def test_calls_tools_in_parallel(self):
        messages = user(ASK_TWO_CITIES)
        choice = complete(messages, tools=[WEATHER_TOOL], tool_choice="auto", parallel_tool_calls=True)
        self.assertEqual(choice.finish_reason, "tool_calls")
        self.assertEqual(len(choice.message.tool_calls), 2)
        messages.append(choice.message)
        for call in choice.message.tool_calls:
            city = json.loads(call.function.arguments)["city"]
            messages.append({"role": "tool", "tool_call_id": call.id, "content": city})
        self.assertEqual(complete(messages, tools=[WEATHER_TOOL]).message.content, FORECAST)

    def test_sends_a_dumped_message_and_a_result_in_parts(self):
        messages = user(ASK_ONE_CITY)
        message = complete(messages, tools=[WEATHER_TOOL]).message
        result = {
            "role": "tool",
            "tool_call_id": message.tool_calls[0].id,
            "name": "get_weather",
            "content": [{"type": "text", "text": "sun"}],
        }
        messages += [message.model_dump(), result]
        self.assertEqual(complete(messages, tools=[WEATHER_TOOL]).message.content, FORECAST)

    def test_parses_an_answer(self):
        completion = client.chat.completions.parse(model=MODEL, messages=user("Hi"), response_format=CityWeather)
        self.assertEqual(completion.choices[0].message.parsed, OSLO)

    def test_parses_arguments_of_a_required_tool(self):
        completion = client.chat.completions.parse(
            model=MODEL,
            messages=user("Hi"),
            tool_choice="required",
            tools=[openai.pydantic_function_tool(CityWeather)],
        )
        self.assertEqual(completion.choices[0].message.tool_calls[0].function.parsed_arguments, OSLO)

    def test_answers_with_a_json_object(self):
        answer = complete(user("Hi"), response_format={"type": "json_object"}).message.content
        self.assertEqual(json.loads(answer), OSLO.model_dump())

    def test_sends_a_picture(self):
        picture = {"type": "image_url", "image_url": {"url": PICTURE_URL, "detail": "low"}}
        self.assertEqual(complete(user([{"type": "text", "text": "See"}, picture])).message.content, GREETING)

    def test_raises_errors_of_their_kinds(self):
        with self.assertRaises(openai.NotFoundError):
            client.chat.completions.create(model="none", messages=user("Hi"))
        with self.assertRaises(openai.BadRequestError):
            complete(user("Hi"), n=2)
        with self.assertRaises(openai.AuthenticationError):
            openai.OpenAI(base_url=BASE_URL, api_key="wrong", max_retries=0).models.list()


class AsyncClient(unittest.IsolatedAsyncioTestCase):
    async def test_completes(self):
        completion = await async_client.chat.completions.create(model=MODEL, messages=user("Hi"))
        self.assertEqual(completion.choices[0].message.content, GREETING)


class Responses(unittest.TestCase):
    def test_continues_a_stored_response(self):
        tool = {"type": "function", **WEATHER_FUNCTION, "strict": False}
        first = client.responses.create(model=MODEL, input=ASK_ONE_CITY, tools=[tool])
        call = next(item for item in first.output if item.type == "function_call")
        result = {"type": "function_call_output", "call_id": call.call_id, "output": "sun"}
        second = client.responses.create(model=MODEL, previous_response_id=first.id, input=[result])
        self.assertEqual(second.output_text, FORECAST)
        self.assertEqual(client.responses.retrieve(second.id).output_text, FORECAST)

    def test_sends_the_items_of_a_response_that_was_not_stored(self):
        tool = {"type": "function", **WEATHER_FUNCTION, "strict": True}
        items = user(ASK_TWO_CITIES)
        first = client.responses.create(model=MODEL, input=items, tools=[tool], store=False)
        calls = [item for item in first.output if item.type == "function_call"]
        self.assertEqual(len(calls), 2)
        results = [
            {"type": "function_call_output", "call_id": call.call_id, "output": "sun"} for call in calls
        ]
        items += [*first.output, *results]
        second = client.responses.create(model=MODEL, input=items, tools=[tool], store=False)
        self.assertEqual(second.output_text, FORECAST)

    def test_parses_an_answer(self):
        response = client.responses.parse(model=MODEL, input="Hi", text_format=CityWeather)
        self.assertEqual(response.output_parsed, OSLO)

    def test_streams_a_tool_call(self):
        function = openai.pydantic_function_tool(CityWeather)["function"]
        tool = {"type": "function", **function}
        with client.responses.stream(model=MODEL, input=ASK_ONE_CITY, tools=[tool]) as stream:
            for _ in stream:
                pass
            response = stream.get_final_response()
        self.assertEqual(response.output[-1].type, "function_call")


report.main()
