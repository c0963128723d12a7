import { setTimeout as pause } from 'node:timers/promises'
import { createFakeOpenAI } from '../../../plugin-api/testing/fake-openai.ts'
import type { Place } from '../../../plugin-api/testing/fake-platform.ts'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t, { type Test } from '../../run/file-test.ts'
import { amount, chooseSeed } from '../../run/tier.ts'
import { MODEL, PROVIDER } from '../../support/chat.ts'
import { startFakePigeon } from '../../support/fake-pigeon.ts'
import { startFakeTelegram } from '../../support/fake-telegram.ts'
import { createChance } from '../../support/random.ts'
import { readRecipe } from '../../support/readme.ts'
import { ADMIN, createHome, installPlugin, startServer } from '../../support/server.ts'
import { spawnService } from '../../support/service-process.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'

/** Number of kills. Run the long tier after a change to the inbox or to the delivery of replies. */
const CRASHES = amount({ short: 1, long: 20 })
const seed = chooseSeed(17)
const PLACES: Place[] = ['direct', 'group']
/** The message whose answer takes seconds to write. */
const LONG = 'tell me a story'
const WORDS = Array.from({ length: 400 }, (_, index) => `word${index} `)

/** A home whose agent is linked to a platform, for any number of server processes. */
async function prepare(t: Test) {
  const platform = await startFakePigeon()
  const telegram = await startFakeTelegram()
  const upstream = await createFakeOpenAI()
  t.teardown(async () => {
    await upstream.close()
    await platform.close()
    await telegram.close()
    if (t.passing()) return
    const seen = { calls: telegram.calls, backlog: telegram.backlog(), shown: telegram.shown() }
    process.stderr.write(`Telegram: ${JSON.stringify(seen)}\nPigeon: ${JSON.stringify(platform.shown())}\n`)
  })
  const textOf = (content: unknown): string =>
    typeof content === 'string'
      ? content
      : (content as { text?: string }[]).map(({ text = '' }) => text).join('')
  upstream.script(({ body }) => {
    const text = textOf(body.messages.at(-1)!.content)
    if (text.includes(LONG)) return { text: WORDS, delayMs: 20 }
    // After a turn without an answer, the model gets its question and the next one as one message.
    return { text: `re ${text.match(/question \w+/g)!.at(-1)} and more words`, delayMs: 15 }
  })
  const home = createHome(t, {
    database: { url: await createDatabaseUrl(t) },
    plugins: { channels: { endpoints: { pigeon: platform.endpoints, telegram: telegram.endpoints } } },
  })
  installPlugin(home, 'pigeon', readRecipe('channels/pigeon/index.js', 'docs/plugins.md'), 'channels')
  /** Starts a server that can be killed. */
  const spawn = () => spawnService(t, home)
  /** Starts a server in this process, beside the others or after them. */
  const start = () => startServer(t, { home, signIn: false })

  /** Calls the API of a server. */
  const connect = async ({ url }: { url: string }) => {
    let token = ''
    const call = async (method: string, path: string, body?: object) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
      const response = await fetch(`${url}/api${path}`, { method, headers, body: JSON.stringify(body) })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status} ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    }
    token = (await call('POST', '/auth/login', ADMIN)).access_token
    return call
  }

  /** Links an agent to the pigeon, and one to Telegram. */
  const arrange = async (service: { url: string }) => {
    const call = await connect(service)
    await call('POST', '/admin/providers', { ...PROVIDER, base_url: upstream.url })
    await call('PUT', '/models/active', { model: MODEL })
    const [{ id }] = await call('GET', '/agents')
    const link = async (kind: string, config: object): Promise<string> => {
      const { id: cid } = await call('POST', `/agents/${id}/channels`, { kind, name: kind, config })
      return `/agents/${id}/channels/${cid}`
    }
    const path = await link('pigeon', platform.config)
    await link('telegram', { ...telegram.config, response_mode: 'stream' })
    return { path }
  }
  const answersTo = (question: string) =>
    platform.shown().filter(({ text }) => text.startsWith(`re ${question} and`))
  return { platform, telegram, spawn, start, connect, arrange, answersTo }
}

t.test(`Each message is answered once, however often the server is killed (seed ${seed})`, async (t) => {
  const random = createChance(seed)
  const { platform, telegram, spawn, start, arrange, answersTo } = await prepare(t)
  let service = await spawn()
  await arrange(service)
  let said = 0
  const ask = async (place: Place) => {
    said += 1
    const question = `question q${said}x`
    const id = await platform.say({ text: question, place })
    if (random.int(0, 2) === 0) await platform.redeliver(id)
    return question
  }
  await telegram.say({ text: LONG })
  await eventually('a growing message', () => telegram.shown().some(({ history }) => history.length > 0))
  let textBefore = ''
  const asked: string[] = []
  for (let crash = 0; crash < CRASHES; crash += 1) {
    const asking = Promise.all(
      PLACES.map(async (place) => {
        for (let index = 0; index < 3; index += 1) asked.push(await ask(place))
      }),
    )
    await pause(random.int(50, 900))
    await service.kill()
    textBefore ||= telegram.shown()[0]!.text
    if (crash < CRASHES - 1) service = await spawn()
    else await start()
    await asking
  }
  const last = await Promise.all(PLACES.map(ask))
  asked.push(...last)
  await eventually('the last answers', () => last.every((question) => answersTo(question).length > 0))
  const shown = platform.shown()
  t.equal(shown.length, asked.length, JSON.stringify(shown.map(({ text }) => text)))
  const interrupted = shown.filter(({ text }) => text.startsWith('⚠️')).length
  const counts = asked.map((question) => answersTo(question).length)
  t.ok(
    counts.every((count) => count <= 1),
    'no answer comes twice',
  )
  t.equal(
    counts.filter((count) => count === 0).length,
    interrupted,
    'every question without an answer got an explanation',
  )
  t.strictSame(platform.violations, [])

  await t.test('The next server finishes a message that the dead one was writing', async (t) => {
    await eventually('the end', () => telegram.shown().some(({ text }) => text.includes('⚠️')))
    const [message, ...others] = telegram.shown()
    t.strictSame(others, [], 'it is the same message')
    t.ok(message!.text.startsWith(textBefore.trim()), 'what people saw is kept')
    t.match(message!.text, /send the message again/)
    t.strictSame(telegram.violations, [])
  })
})

t.test('Another server takes over the channel of a dead one and continues there', async (t) => {
  const { platform, spawn, start, connect, arrange, answersTo } = await prepare(t)
  const first = await spawn()
  const { path } = await arrange(first)
  await platform.say({ text: 'question one' })
  await eventually('the first answer', () => answersTo('question one').length > 0)
  const second = await start()
  const call = await connect(second)
  t.match(await call('GET', path), { runtime: { state: 'connected' } })
  await platform.say({ text: 'question two' })
  await first.kill()
  await eventually('one of the two', () => platform.shown().length >= 2)
  await platform.say({ text: 'question three' })
  await eventually('the third answer', () => answersTo('question three').length > 0)
  t.equal(platform.shown().length, 3)
  t.equal(platform.connections(), 1)
  t.match(await call('GET', path), { runtime: { state: 'connected' } })
  await call('DELETE', path)
  t.equal(platform.connections(), 0)
})
