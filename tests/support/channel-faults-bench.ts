import { settingsOf } from '../../plugin-api/testing/channel-bench.ts'
import type { Saying, ShownMessage } from '../../plugin-api/testing/fake-platform.ts'
import type { Test } from '../run/file-test.ts'
import { type FaultyPlatform, relayPlatform } from './channel-faults-relay.ts'
import { type Kind, VENDORS } from './channel-faults-vendors.ts'
import { soon } from './channel-faults-waiting.ts'
import { startChat, type TestChat } from './chat.ts'

/** The last refusal of a channel, as its row shows it. */
export interface LastRefusal {
  reason: string
  detail: string
  at: number
}

/** A channel to a platform behind a relay, and what the cells of a matrix need of it. */
export interface FaultyChannel {
  kind: Kind
  platform: FaultyPlatform
  /** Has the answers of this channel written while they grow, or not. */
  setLive(isLive: boolean): Promise<void>
  say(text: string, place?: Saying['place']): Promise<unknown>
  /** Waits for a finished message of the bot with this text. */
  see(text: string, place?: Saying['place']): Promise<ShownMessage>
  /** Lists the bot's messages with this text or this file name. */
  shown(text: string): ShownMessage[]
  lastRefusal(): Promise<LastRefusal | null>
  /** Counts the final refusals of this kind on the server. */
  countRefusals(): Promise<number>
  /** Lists the lines of the log about failures of this channel since a position, from a level on. */
  complaints(since: number, level: number): object[]
  /** Returns the position in the log. */
  logPosition(): number
}

/** Milliseconds between the words of an answer, so that a live message is changed while it grows. */
const WORD_MS = 1200

/** The commands to the model of the matrix: the action and the mark of the cell, which it repeats. */
const COMMAND = /(first|edit|approval|file|plain) (cell\d+x)\b/g

/** Starts a server with a channel of each kind, each to a platform of its own behind a relay. */
export async function startFaultyChannels(t: Test, kinds: readonly Kind[]): Promise<FaultyChannel[]> {
  const platforms = await Promise.all(
    kinds.map(async (kind) => {
      const platform = await relayPlatform(await VENDORS[kind].start())
      t.teardown(() => platform.close())
      return { kind, platform }
    }),
  )
  const channels = {
    endpoints: Object.fromEntries(platforms.map(({ kind, platform }) => [kind, platform.endpoints])),
    allow_hosts: platforms.flatMap(({ kind, platform }) => settingsOf(kind, platform).channels.allow_hosts),
  }
  const chat = await startChat(t, { config: { plugins: { channels } } })
  const { server, agent_id, fake } = chat
  const body = { config: { tools_with_approval: ['ls'] } }
  await server.request('PATCH', `/agents/${agent_id}`, { body })
  fake.script(({ body: { messages } }) => {
    const last = messages.findLast(({ role }) => role === 'user')
    // Behind a stopped turn, which has no answer, two messages are one.
    const [, action, mark] = [...JSON.stringify(last?.content).matchAll(COMMAND)].at(-1) ?? []
    if (messages.at(-1)?.role === 'tool')
      return { text: action === 'file' ? 'There it is.' : `${mark} is done.` }
    switch (action) {
      case 'edit':
        return { text: [`${mark}a begins.\n\n`, `${mark}b goes on.\n\n`, `${mark}c ends.`], delayMs: WORD_MS }
      case 'approval':
        return { toolCalls: [{ name: 'ls', arguments: { path: `/${mark}` } }] }
      case 'file':
        return {
          toolCalls: [{ name: 'write_file', arguments: { path: `${mark}.txt`, content: 'all is well' } }],
        }
      default:
        return { text: `${mark} is answered.` }
    }
  })
  return Promise.all(platforms.map((linked) => openChannel(linked, chat)))
}

async function openChannel(
  { kind, platform }: { kind: Kind; platform: FaultyPlatform },
  { server, agent_id }: TestChat,
): Promise<FaultyChannel> {
  const path = `/agents/${agent_id}/channels`
  const config = { ...platform.config, approvers: ['ann'] }
  const made = await server.request('POST', path, { body: { kind, name: kind, config } })
  if (made.status !== 201) throw new Error(`no channel: ${made.status} ${JSON.stringify(made.body)}`)
  const { id } = made.body
  platform.attach?.(async ({ method, headers, body }) => {
    const sent = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    )
    const response = await fetch(`${server.url}/api/hooks/${id}`, {
      method,
      headers: Object.fromEntries(sent),
      body: method === 'GET' ? undefined : Buffer.from(body),
    })
    return { status: response.status, body: await response.text() }
  })
  const read = async () => (await server.request('GET', `${path}/${id}`)).body
  const seeConnected = () =>
    soon(`${kind} is connected`, async () => (await read()).runtime.state === 'connected')
  await seeConnected()
  let mode = 'invoke'
  const has = (text: string) => (message: ShownMessage) =>
    message.text.includes(text) || message.file?.filename.includes(text) === true

  return {
    kind,
    platform,
    async setLive(isLive) {
      const response_mode = isLive ? 'stream' : 'invoke'
      if (response_mode === mode) return
      mode = response_mode
      const body = { config: { response_mode } }
      const { status } = await server.request('PATCH', `${path}/${id}`, { body })
      if (status !== 200) throw new Error(`the channel was not changed: ${status}`)
      // The gateway opens the channel again; before that, it may still be connected with the old config.
      await soon(`${kind} is opened anew`, async () => {
        const { config, runtime } = await read()
        return config.response_mode === body.config.response_mode && runtime.state === 'connected'
      })
    },
    say: (text, place = 'direct') => platform.say({ text, place }),
    see: (text, place = 'direct') =>
      soon(`${kind} shows ${text}`, () =>
        platform.shown(place).find((message) => !message.is_live && has(text)(message)),
      ),
    shown: (text) => platform.shown().filter(has(text)),
    lastRefusal: async () => (await read()).runtime.last_refusal ?? null,
    async countRefusals() {
      const { body } = await server.request('GET', '/metrics')
      const counts = [...String(body).matchAll(/^svc_channel_refusals_total\{(.*)\} (\d+)$/gm)]
      return counts
        .filter(([, labels]) => labels!.includes(`kind="${kind}"`))
        .reduce((sum, [, , count]) => sum + Number(count), 0)
    },
    logPosition: () => server.logged().length,
    complaints: (since, level) =>
      server
        .logged()
        .slice(since)
        .split('\n')
        .filter((line) => line.includes(id) && /"(reason|code)"/.test(line))
        .map((line) => JSON.parse(line))
        .filter((line) => line.level >= level),
  }
}
