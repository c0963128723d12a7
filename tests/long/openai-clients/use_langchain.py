"""The usual calls of the Python package langchain-openai, through both APIs."""

import unittest

import report
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from setting import ASK_ONE_CITY, ASK_TWO_CITIES, BASE_URL, FORECAST, GREETING, MODEL, OSLO, TOKEN, CityWeather


@tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"{city}: sun"


class Calls:
    use_responses_api: bool

    def create_chat(self, **options):
        return ChatOpenAI(
            model=MODEL,
            base_url=BASE_URL,
            api_key=TOKEN,
            max_retries=0,
            use_responses_api=self.use_responses_api,
            **options,
        )

    def test_invokes(self):
        self.assertEqual(self.create_chat(temperature=0).invoke("Hi").text, GREETING)

    def test_streams(self):
        chunks = self.create_chat(stream_usage=True).stream("Hi")
        self.assertEqual("".join(chunk.text for chunk in chunks), GREETING)

    def test_calls_tools(self):
        chat = self.create_chat().bind_tools([get_weather])
        messages = [HumanMessage(ASK_TWO_CITIES)]
        answer = chat.invoke(messages)
        self.assertEqual(len(answer.tool_calls), 2)
        messages += [answer, *(get_weather.invoke(call) for call in answer.tool_calls)]
        self.assertEqual(chat.invoke(messages).text, FORECAST)

    def test_streams_a_tool_call(self):
        chat = self.create_chat().bind_tools([get_weather])
        messages = [HumanMessage(ASK_ONE_CITY)]
        first, *others = chat.stream(messages)
        answer = sum(others, first)
        self.assertEqual(answer.tool_calls[0]["args"], {"city": "Oslo"})
        messages += [answer, get_weather.invoke(answer.tool_calls[0])]
        self.assertEqual(chat.invoke(messages).text, FORECAST)

    def test_requires_a_tool(self):
        chat = self.create_chat().bind_tools([get_weather], tool_choice="any")
        self.assertEqual([call["name"] for call in chat.invoke("Hi").tool_calls], ["get_weather"])

    def test_answers_in_the_form_of_a_schema(self):
        self.assertEqual(self.create_chat().with_structured_output(CityWeather).invoke("Hi"), OSLO)

    def test_answers_in_the_form_of_a_function(self):
        chat = self.create_chat().with_structured_output(CityWeather, method="function_calling")
        self.assertEqual(chat.invoke("Hi"), OSLO)

    def test_answers_with_a_json_object(self):
        chat = self.create_chat().with_structured_output(None, method="json_mode")
        self.assertEqual(chat.invoke("Hi"), OSLO.model_dump())


class ChatCompletions(Calls, unittest.IsolatedAsyncioTestCase):
    use_responses_api = False

    async def test_invokes_asynchronously(self):
        self.assertEqual((await self.create_chat().ainvoke("Hi")).text, GREETING)

    def test_sends_stop_sequences(self):
        self.assertEqual(self.create_chat(stop=["END"]).invoke("Hi").text, GREETING)


class Responses(Calls, unittest.TestCase):
    use_responses_api = True


report.main()
