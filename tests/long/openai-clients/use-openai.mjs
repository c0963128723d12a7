// The usual calls of the npm package openai.

import assert from 'node:assert/strict'
import test from 'node:test'
import OpenAI from 'openai'
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod'
import {
  ASK_ONE_CITY,
  ASK_TWO_CITIES,
  apiKey,
  baseURL,
  cityWeatherSchema,
  FORECAST,
  GREETING,
  MODEL,
  OSLO,
  PICTURE,
} from './setting.mjs'

const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const weatherFunction = { name: 'get_weather', description: 'The weather of a city', parameters }
const weatherTool = { type: 'function', function: weatherFunction }
const user = (content) => ({ role: 'user', content })

async function complete(messages, options = {}) {
  const { choices } = await client.chat.completions.create({ model: MODEL, messages, ...options })
  return choices[0]
}

test('chat completions: lists models', async () => {
  const { data } = await client.models.list()
  assert.equal(data[0].id, MODEL)
})

test('chat completions: completes', async () => {
  const { message } = await complete([user('Hi')])
  assert.equal(message.content, GREETING)
})

test('chat completions: streams', async () => {
  const stream = await client.chat.completions.create({ model: MODEL, messages: [user('Hi')], stream: true })
  let text = ''
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
  assert.equal(text, GREETING)
})

test('chat completions: streams a tool call', async () => {
  const stream = client.chat.completions.stream({
    model: MODEL,
    messages: [user(ASK_ONE_CITY)],
    tools: [weatherTool],
  })
  const { choices } = await stream.finalChatCompletion()
  assert.equal(choices[0].finish_reason, 'tool_calls')
  assert.deepEqual(JSON.parse(choices[0].message.tool_calls[0].function.arguments), { city: 'Oslo' })
})

test('chat completions: calls tools in parallel', async () => {
  const messages = [user(ASK_TWO_CITIES)]
  const { finish_reason, message } = await complete(messages, { tools: [weatherTool] })
  assert.equal(finish_reason, 'tool_calls')
  assert.equal(message.tool_calls.length, 2)
  const results = message.tool_calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'sun' }))
  const answer = await complete([...messages, message, ...results], { tools: [weatherTool] })
  assert.equal(answer.message.content, FORECAST)
})

test('chat completions: runs tools', async () => {
  const runner = client.chat.completions.runTools({
    model: MODEL,
    messages: [user(ASK_TWO_CITIES)],
    tools: [
      {
        type: 'function',
        function: { ...weatherFunction, parse: JSON.parse, function: ({ city }) => `${city}: sun` },
      },
    ],
  })
  assert.equal(await runner.finalContent(), FORECAST)
})

test('chat completions: parses an answer', async () => {
  const { choices } = await client.chat.completions.parse({
    model: MODEL,
    messages: [user('Hi')],
    response_format: zodResponseFormat(cityWeatherSchema, 'weather'),
  })
  assert.deepEqual(choices[0].message.parsed, OSLO)
})

test('chat completions: sends a picture', async () => {
  const url = `data:image/png;base64,${PICTURE.toString('base64')}`
  const { message } = await complete([
    user([
      { type: 'text', text: 'See' },
      { type: 'image_url', image_url: { url } },
    ]),
  ])
  assert.equal(message.content, GREETING)
})

test('chat completions: throws errors of their kinds', async () => {
  await assert.rejects(complete([user('Hi')], { model: 'none' }), OpenAI.NotFoundError)
  await assert.rejects(complete([user('Hi')], { n: 2 }), OpenAI.BadRequestError)
  const stranger = new OpenAI({ baseURL, apiKey: 'wrong', maxRetries: 0 })
  await assert.rejects(stranger.models.list(), OpenAI.AuthenticationError)
})

test('responses: continues a stored response', async () => {
  const tools = [{ type: 'function', ...weatherFunction, strict: false }]
  const first = await client.responses.create({ model: MODEL, input: ASK_ONE_CITY, tools })
  const { call_id } = first.output.find(({ type }) => type === 'function_call')
  const second = await client.responses.create({
    model: MODEL,
    previous_response_id: first.id,
    input: [{ type: 'function_call_output', call_id, output: 'sun' }],
  })
  assert.equal(second.output_text, FORECAST)
})

test('responses: parses an answer', async () => {
  const { output_parsed } = await client.responses.parse({
    model: MODEL,
    input: 'Hi',
    text: { format: zodTextFormat(cityWeatherSchema, 'weather') },
  })
  assert.deepEqual(output_parsed, OSLO)
})

test('responses: streams', async () => {
  const stream = client.responses.stream({ model: MODEL, input: 'Hi' })
  let text = ''
  stream.on('response.output_text.delta', ({ delta }) => {
    text += delta
  })
  const { output_text } = await stream.finalResponse()
  assert.equal(output_text, GREETING)
  assert.equal(text, GREETING)
})
