"""The server that the scripts use, the tools that they offer, and what the model behind the server answers."""

import os

from pydantic import BaseModel

BASE_URL = os.environ["BASE"]
TOKEN = os.environ["TOKEN"]
MODEL = "assistant"

GREETING = "Hello there."
FORECAST = "It is sunny."
ASK_ONE_CITY = "How is the weather?"
ASK_TWO_CITIES = "How is the weather in two cities?"

CITY_SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER_FUNCTION = {"name": "get_weather", "description": "The weather of a city", "parameters": CITY_SCHEMA}
WEATHER_TOOL = {"type": "function", "function": WEATHER_FUNCTION}

PICTURE_URL = (
    "data:image/png;base64,"
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class CityWeather(BaseModel):
    city: str
    degrees: int


OSLO = CityWeather(city="Oslo", degrees=12)


def user(text):
    return [{"role": "user", "content": text}]
