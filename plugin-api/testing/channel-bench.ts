import type { AgentBench } from './agent-bench.ts'
import type { ChatMessage, FakeOpenAI } from './fake-openai.ts'
import type { FakePlatform, Lack, Place, ShownMessage } from './fake-platform.ts'
import type { TestReply, TestServer } from './server.ts'
import { eventually } from './waiting.ts'

/** A new channel between an agent and a fake platform, connected, with what has happened there since. */
export interface LinkedChannel {
  platform: FakePlatform
  fake: FakeOpenAI
  agent_id: string
  channel_id: string
  /** Calls the API below the agent's channels. */
  channels(method: string, path?: string, body?: unknown): Promise<TestReply>
  /** Lists the threads of the agent. */
  listThreads(): Promise<{ thread_id: string; channel_type: string }[]>
  /** Waits until the channel is in a state. */
  seeState(state: string): Promise<{ reason: string | null; reconnects: number }>
  /** Waits until a message that the bot sent contains these words and is written to its end. */
  seeMessage(words: string | RegExp, conversation?: Place): Promise<ShownMessage>
  /** Waits until the model is asked for the first time. */
  seeRequest(): Promise<unknown>
  /** Returns the user messages that the model received, as text, in the order of the turns. */
  listPrompts(): string[]
}

/** Shared by the cases of a channel kind: the server, its agent, and a way to link the agent to the fake platform. */
export interface ChannelBench {
  kind: string
  server: AgentBench['server']
  agent_id: string
  /** True if the platform does not lack this. */
  can(ability: Lack): boolean
  /** Returns the platform's id of a person. */
  idOf(sender: string): string
  /** True if the platform keeps what is said while the bot is not connected. */
  hasBacklog: boolean
  /** Links the agent to the platform anew. */
  start: ReturnType<typeof createLinker>
}

/** Makes a function that links a bench's agent to a platform anew: what was there before of channels and threads is deleted. */
export function createLinker(
  {
    server,
    fake,
    agent_id,
  }: Pick<AgentBench, 'fake' | 'agent_id'> & { server: Pick<TestServer, 'url' | 'request'> },
  platform: FakePlatform,
  kind: string,
): (config?: Record<string, unknown>) => Promise<LinkedChannel> {
  const channels: LinkedChannel['channels'] = (method, path = '', body = undefined) =>
    server.request(method, `/agents/${agent_id}/channels${path}`, body)
  const listThreads: LinkedChannel['listThreads'] = async () =>
    (await server.request('GET', `/agents/${agent_id}/threads`)).body
  let channel_id = ''
  platform.attach?.(async ({ method, headers, body }) => {
    const headerList = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    )
    const response = await fetch(`${server.url}/api/hooks/${channel_id}`, {
      method,
      headers: Object.fromEntries(headerList),
      body: method === 'GET' ? undefined : Buffer.from(body),
    })
    return { status: response.status, body: await response.text() }
  })

  return async (config = {}) => {
    if (channel_id) await channels('DELETE', `/${channel_id}`)
    await server.request('PATCH', `/agents/${agent_id}`, { config: {} })
    for (const { thread_id } of await listThreads())
      await server.request('DELETE', `/agents/${agent_id}/threads/${thread_id}`)
    const created = await channels('POST', '', {
      kind,
      name: 'main',
      config: { ...platform.config, ...config },
    })
    if (created.status !== 201)
      throw new Error(`no channel: ${created.status} ${JSON.stringify(created.body)}`)
    channel_id = created.body.id
    const earlierCounts = { shown: platform.shown().length, requests: fake.requests.length }
    const shown: FakePlatform['shown'] = (conversation) =>
      platform
        .shown()
        .slice(earlierCounts.shown)
        .filter((message) => conversation === undefined || message.place === conversation)
    let lastState = 'unknown'
    const channel: LinkedChannel = {
      platform: { ...platform, shown },
      fake,
      agent_id,
      channel_id,
      channels,
      listThreads,
      seeState: (state) =>
        eventually(
          () => `the channel is ${state}; it is ${lastState}`,
          async () => {
            const { body } = await channels('GET', `/${created.body.id}`)
            lastState = JSON.stringify(body.runtime)
            return body.runtime.state === state && body.runtime
          },
        ),
      seeMessage: (words, conversation) =>
        eventually(
          () => `the bot says ${words}; ${describeShown(shown(conversation))}`,
          () =>
            shown(conversation).find(
              ({ text, is_live }) =>
                !is_live && (typeof words === 'string' ? text.includes(words) : words.test(text)),
            ),
        ),
      seeRequest: () =>
        eventually(
          'the model is asked, because link.receive(message) was called',
          () => fake.requests[earlierCounts.requests],
        ),
      listPrompts: () =>
        fake.requests.slice(earlierCounts.requests).flatMap(({ body }) => {
          const last = body.messages.at(-1)
          return last?.role === 'user' ? [textOf(last)] : []
        }),
    }
    await channel.seeState('connected')
    return channel
  }
}

/** Says what people see of the bot. */
const describeShown = (shown: readonly ShownMessage[]) =>
  shown.length === 0
    ? 'it said nothing'
    : `it said ${shown.map(({ text, is_live }) => JSON.stringify(text.slice(0, 200)) + (is_live ? ' (unfinished)' : '')).join(', ')}`

/** Returns the settings with which a server reaches a fake platform. */
export const settingsOf = (kind: string, { endpoints, allow_hosts = [] }: FakePlatform) => ({
  channels: { endpoints: { [kind]: endpoints }, allow_hosts },
})

const textOf = ({ content }: ChatMessage) =>
  typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('')
