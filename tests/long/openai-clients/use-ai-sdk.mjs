// The usual calls of the AI SDK, with each of its providers that speak an API of OpenAI.

import assert from 'node:assert/strict'
import test from 'node:test'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateObject, generateText, Output, stepCountIs, streamObject, streamText, tool } from 'ai'
import {
  ASK_ONE_CITY,
  ASK_TWO_CITIES,
  apiKey,
  baseURL,
  citySchema,
  cityWeatherSchema,
  FORECAST,
  GREETING,
  MODEL,
  OSLO,
  PICTURE,
} from './setting.mjs'

// Its warnings about settings that a model lacks would be among the lines of the report.
globalThis.AI_SDK_LOG_WARNINGS = false

const compatible = createOpenAICompatible({
  name: 'service',
  baseURL,
  apiKey,
  supportsStructuredOutputs: true,
  includeUsage: true,
})
const openai = createOpenAI({ baseURL, apiKey })
const models = {
  'openai-compatible': compatible(MODEL),
  'openai, chat completions': openai.chat(MODEL),
  'openai, responses': openai.responses(MODEL),
}

const tools = {
  get_weather: tool({
    description: 'The weather of a city',
    inputSchema: citySchema,
    execute: async ({ city }) => `${city}: sun`,
  }),
}
const stopWhen = stepCountIs(5)

async function collect(stream) {
  let text = ''
  for await (const delta of stream) text += delta
  return text
}

for (const [name, model] of Object.entries(models)) {
  const settings = { model, maxRetries: 0 }

  test(`${name}: generates a text`, async () => {
    const { text } = await generateText({ ...settings, prompt: 'Hi' })
    assert.equal(text, GREETING)
  })

  test(`${name}: streams a text`, async () => {
    const { textStream } = streamText({ ...settings, prompt: 'Hi' })
    assert.equal(await collect(textStream), GREETING)
  })

  test(`${name}: runs tools`, async () => {
    const { text, steps } = await generateText({ ...settings, prompt: ASK_TWO_CITIES, tools, stopWhen })
    assert.equal(text, FORECAST)
    assert.deepEqual(
      steps.map(({ toolResults }) => toolResults.length),
      [2, 0],
    )
  })

  test(`${name}: runs a tool while it streams`, async () => {
    const { textStream } = streamText({ ...settings, prompt: ASK_ONE_CITY, tools, stopWhen })
    assert.equal(await collect(textStream), FORECAST)
  })

  for (const toolChoice of [{ type: 'tool', toolName: 'get_weather' }, 'required'])
    test(`${name}: chooses a tool by ${JSON.stringify(toolChoice)}`, async () => {
      const { toolCalls } = await generateText({ ...settings, prompt: 'Hi', tools, toolChoice })
      assert.equal(toolCalls.length, 1)
    })

  test(`${name}: generates an object`, async () => {
    const { object } = await generateObject({ ...settings, prompt: 'Hi', schema: cityWeatherSchema })
    assert.deepEqual(object, OSLO)
  })

  test(`${name}: streams an object`, async () => {
    const result = streamObject({ ...settings, prompt: 'Hi', schema: cityWeatherSchema })
    let last
    for await (const partial of result.partialObjectStream) last = partial
    assert.deepEqual(last, OSLO)
    assert.deepEqual(await result.object, OSLO)
  })

  test(`${name}: generates an object after a tool`, async () => {
    const { output } = await generateText({
      ...settings,
      prompt: ASK_ONE_CITY,
      tools,
      output: Output.object({ schema: cityWeatherSchema }),
      stopWhen,
    })
    assert.deepEqual(output, OSLO)
  })

  test(`${name}: sends stop sequences, a seed and a penalty`, async () => {
    const { text } = await generateText({
      ...settings,
      prompt: 'Hi',
      stopSequences: ['END'],
      seed: 1,
      presencePenalty: 0,
    })
    assert.equal(text, GREETING)
  })

  test(`${name}: sends a picture`, async () => {
    const content = [
      { type: 'text', text: 'See' },
      { type: 'image', image: PICTURE },
    ]
    const { text } = await generateText({ ...settings, messages: [{ role: 'user', content }] })
    assert.equal(text, GREETING)
  })
}
