import OpenAI from 'openai'
import t from '../../run/file-test.ts'
import { createTestClock } from '../../support/clock.ts'
import { call, startPress } from '../conversations/approval-calls.ts'

const clock = createTestClock()
const chat = await startPress(t, { clock, config: { plugins: { chat: { approval_seconds: 60 } } } })
const { fake, server } = chat

type Message = OpenAI.ChatCompletionMessageParam
const weather = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } } as const

const create = async (messages: Message[]) => {
  const openai = new OpenAI({ baseURL: `${server.url}/api/v1`, apiKey: server.admin.token, maxRetries: 0 })
  const params = { model: 'assistant', messages, tools: [weather] }
  const { data, response } = await openai.chat.completions
    .create(structuredClone(params) as OpenAI.ChatCompletionCreateParamsNonStreaming)
    .withResponse()
  return { ...data.choices[0]!, thread_id: response.headers.get('x-thread-id')! }
}

/** Asks until the model calls a tool; returns the conversation with its result. */
async function askCall() {
  const asked: Message[] = [{ role: 'user', content: 'Go.' }]
  fake.next({ toolCalls: [call('c', 'weather', {})] })
  const { message, thread_id } = await create(asked)
  const result = { role: 'tool', tool_call_id: message.tool_calls![0]!.id, content: 'storm' } as const
  return { thread_id, messages: [...asked, message, result] as Message[] }
}

t.test('A turn that waits for its program survives a restart with its tools', async (t) => {
  const { thread_id, messages } = await askCall()
  await server.restart()
  fake.next({ text: 'Stormy.' })
  const reply = await create(messages)
  t.match(reply, { thread_id, message: { content: 'Stormy.' } })
  t.ok(fake.requests.at(-1)!.body.tools?.some((tool) => tool.function.name === 'weather'))
})

t.test('A turn whose program does not come back ends, and its model is not asked again', async (t) => {
  const { thread_id, messages } = await askCall()
  const earlierCount = fake.requests.length
  clock.advance(61)
  // The job that looks for turns that have waited too long runs first when a server starts.
  await server.restart()
  const reader = await chat.connect()
  await reader.subscribe(thread_id, 0)
  t.match(await reader.until(({ type }) => type === 'done'), { thread_id, stop_reason: 'stopped' })
  t.equal(fake.requests.length, earlierCount)
  fake.next({ text: 'Late.' })
  const late = await create(messages)
  t.match(late, { message: { content: 'Late.' } })
  t.not(late.thread_id, thread_id)
})
