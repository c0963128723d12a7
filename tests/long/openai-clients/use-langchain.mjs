// The usual calls of LangChain, through both APIs.

import assert from 'node:assert/strict'
import test from 'node:test'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import {
  ASK_TWO_CITIES,
  apiKey,
  baseURL,
  citySchema,
  cityWeatherSchema,
  FORECAST,
  GREETING,
  MODEL,
  OSLO,
} from './setting.mjs'

const getWeather = tool(async ({ city }) => `${city}: sun`, {
  name: 'get_weather',
  description: 'The weather of a city',
  schema: citySchema,
})

for (const useResponsesApi of [false, true]) {
  const name = useResponsesApi ? 'responses' : 'chat completions'
  const chat = new ChatOpenAI({
    model: MODEL,
    apiKey,
    configuration: { baseURL },
    maxRetries: 0,
    useResponsesApi,
  })

  test(`${name}: invokes`, async () => {
    const { text } = await chat.invoke('Hi')
    assert.equal(text, GREETING)
  })

  test(`${name}: streams`, async () => {
    let text = ''
    for await (const chunk of await chat.stream('Hi')) text += chunk.text
    assert.equal(text, GREETING)
  })

  test(`${name}: calls tools`, async () => {
    const withTool = chat.bindTools([getWeather])
    const messages = [{ role: 'user', content: ASK_TWO_CITIES }]
    const answer = await withTool.invoke(messages)
    assert.equal(answer.tool_calls.length, 2)
    const results = await Promise.all(answer.tool_calls.map((call) => getWeather.invoke(call)))
    const { text } = await withTool.invoke([...messages, answer, ...results])
    assert.equal(text, FORECAST)
  })

  // LangChain leaves this choice out of its requests to the Responses API.
  if (!useResponsesApi)
    test(`${name}: requires a tool`, async () => {
      const { tool_calls } = await chat.bindTools([getWeather], { tool_choice: 'any' }).invoke('Hi')
      assert.equal(tool_calls.length, 1)
    })

  for (const method of ['jsonSchema', 'functionCalling', 'jsonMode'])
    test(`${name}: answers with an object by ${method}`, async () => {
      const structured = chat.withStructuredOutput(cityWeatherSchema, { method, name: 'CityWeather' })
      assert.deepEqual(await structured.invoke('Hi'), OSLO)
    })
}
