import type { ButtonPress, ChannelLink, InboundMessage, JSONValue } from '#plugin-api'
import { eventually } from '../../plugin-api/testing/waiting.ts'
import type { Test } from '../run/file-test.ts'
import { startChat, type TestChat } from './chat.ts'

/** A call of the gateway to the scripted platform. */
export interface ScriptedCall {
  method: 'send' | 'sendFile' | 'live' | 'update' | 'finish' | 'download'
  target: JSONValue
  text: string
  key: string
  buttons: string[]
}

/** Returns the error of a call, or nothing if the platform takes it; a promise delays the answer. */
type Script = (call: ScriptedCall) => unknown

/** A channel whose platform is the test itself. */
export interface ScriptedChannel extends TestChat {
  channel_id: string
  link: ChannelLink
  /** The texts and file names that the platform took, in order. */
  shown: string[]
  calls: ScriptedCall[]
  /** Replaces the script of the platform. */
  answer(script: Script): void
  /** A person writes; without changes a message to the bot in a direct conversation. */
  say(text: string, message?: Partial<InboundMessage>): Promise<void>
  see(words: string | RegExp): Promise<string>
  /** Returns the text that the model received last. */
  prompt(): string
  runtime(): Promise<{ state: string; last_refusal: { reason: string; detail: string } | null }>
  press(press: ButtonPress): ReturnType<ChannelLink['press']>
}

const CALLED = 'scripted platform called'
const OPENED = 'scripted platform opened'

/** A kind in plain JavaScript: each call is an event on `process`, whose `answer` settles it. */
const KIND = `
const limits = { dialect: 'html', max_length: 200, length_unit: 'characters', buttons: true }
const call = async (method, target, values) => {
  const event = { method, target, text: '', key: '', buttons: [], ...values }
  process.emit('${CALLED}', event)
  const error = await event.answer
  if (error) throw error
  return event
}
const messageOf = ({ text, key, buttons = [] }) => ({ text, key, buttons: buttons.map(({ label }) => label) })
export default {
  name: 'scripted', summary: 'A platform that a test plays', kernel: 1,
  setup(host) {
    host.extend('channels.kinds', {
      kind: 'scripted',
      label: { en: 'Scripted', zh: '脚本' },
      config_schema: { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: false },
      capabilities: { direct: { ...limits, live: { interval_ms: 0 } }, group: { ...limits, max_replies: 2 } },
      identity: ({ name }) => name,
      async probe() {},
      async open({ config }, link) {
        process.emit('${OPENED}', config.name, link)
        return {
          async send(target, message) { await call('send', target, messageOf(message)); return message.key },
          async sendFile(target, { filename, key }) { await call('sendFile', target, { text: filename, key }) },
          async live(target, message) {
            await call('live', target, messageOf(message))
            const step = (method) => async (text) => { await call(method, target, { text, key: message.key }) }
            return { reference: null, update: step('update'), finish: step('finish') }
          },
          async download(reference) {
            await call('download', reference, {})
            const text = String(reference)
            return {
              bytes: (async function* () { yield Buffer.from(text) })(),
              ...(text.startsWith('<!doctype html>') && { media_type: 'text/html' }),
            }
          },
          close() {},
        }
      },
    })
  },
}
`

/** Starts a server; each call of the returned function makes a channel of an agent on a platform of its own. */
export async function startScripted(
  t: Test,
): Promise<(t: Test, config?: Record<string, unknown>) => Promise<ScriptedChannel>> {
  const chat = await startChat(t, { plugins: { scripted: KIND } })
  const links = new Map<string, ChannelLink>()
  const onOpened = (name: string, link: ChannelLink) => void links.set(name, link)
  process.on(OPENED as never, onOpened as never)
  t.teardown(() => void process.off(OPENED, onOpened))
  let count = 0

  return async (t, config = {}) => {
    count += 1
    const name = `platform ${count}`
    const { server, agent_id, fake } = chat
    const path = `/agents/${agent_id}/channels`
    const made = await server.request('POST', path, {
      body: { kind: 'scripted', name, config: { name, ...config } },
    })
    if (made.status !== 201) throw new Error(`no channel: ${made.status} ${JSON.stringify(made.body)}`)
    const channel_id: string = made.body.id
    const link = () => links.get(name)
    await eventually('the channel is open', link)
    const shown: string[] = []
    const calls: ScriptedCall[] = []
    let script: Script = () => undefined
    const onCall = (event: ScriptedCall & { answer: Promise<unknown> }) => {
      if ((event.target as { name?: string } | null)?.name !== name && event.method !== 'download') return
      calls.push(event)
      event.answer = Promise.resolve(script(event)).then((error) => {
        if (!error && event.method !== 'download') shown.push(event.text)
        return error
      })
    }
    process.on(CALLED as never, onCall as never)
    t.teardown(async () => {
      await server.request('DELETE', `${path}/${channel_id}`)
      process.off(CALLED, onCall)
    })
    let said = 0
    return {
      ...chat,
      channel_id,
      get link() {
        return link()!
      },
      shown,
      calls,
      answer: (next) => {
        script = next
      },
      async say(text, message = {}) {
        said += 1
        await link()!.receive({
          id: `m${said}`,
          conversation: { id: `c${count}`, type: 'direct' },
          sender: { id: 'ann', name: 'Ann' },
          text,
          mentioned: true,
          sent_at: Date.now(),
          ...message,
          target: { name, ...(message.target as object) },
        })
      },
      see: (words) =>
        eventually(`the platform shows ${words}`, () =>
          shown.find((text) => (typeof words === 'string' ? text.includes(words) : words.test(text))),
        ),
      prompt: () => {
        const { content } = fake.requests.at(-1)!.body.messages.at(-1)!
        return typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('')
      },
      runtime: async () => (await server.request('GET', `${path}/${channel_id}`)).body.runtime,
      press: (press) => link()!.press(press),
    }
  }
}
