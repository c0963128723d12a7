import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import t from '../run/file-test.ts'
import { startChat } from '../support/chat.ts'
import { ROOT } from '../support/packed.ts'
import { startRelay } from '../support/relay.ts'

const CHROMIUM = '/usr/bin/chromium'
const skip = !existsSync(CHROMIUM) && `this machine has no ${CHROMIUM}`

const page = `
import { createClient } from 'agent-platform-service/client'
window.run = async (baseUrl, body, cut) => {
  const asked = []
  const client = createClient({
    baseUrl,
    async getToken(refused) {
      asked.push(refused ?? null)
      const { data } = await client.POST('/auth/login', { body })
      return data.access_token
    },
  })
  const { data: agents } = await client.GET('/agents')
  const chat = client.chat(agents[0].name)
  const frames = []
  for await (const frame of chat.turn('Hello')) {
    frames.push(frame)
    if (frame.content === 'Good ') await window.cut()
  }
  const wrong = await chat.subscribe('thr_01JD0000000000000000000000').next().catch(({ code }) => code)
  chat.close()
  const away = await client.chat('nobody').turn('x').next().catch(({ code, status }) => [code, status])
  return { asked, name: agents[0].name, frames, wrong, away }
}
`

t.test('the client works in Chromium, across a cut, on a page of another origin', { skip }, async (t) => {
  const { outputFiles } = await build({
    stdin: { contents: page, resolveDir: ROOT },
    bundle: true,
    format: 'iife',
    platform: 'browser',
    write: false,
  })
  const site = createServer(({ url }, response) => {
    const isScript = url === '/page.js'
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
    response.end(isScript ? outputFiles[0]!.text : '<!doctype html><script src="/page.js"></script>')
  }).listen(0, '127.0.0.1')
  t.teardown(() => {
    site.closeAllConnections()
    site.close()
  })
  await once(site, 'listening')
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  const { fake, server } = await startChat(t, { env: { SVC_CORS_ORIGINS: origin } })
  const relay = await startRelay(t, () => server.url)
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  t.teardown(() => browser.close())
  const tab = await browser.newPage()
  await tab.exposeFunction('cut', () => relay.cut())
  await tab.goto(origin)
  fake.next({ text: ['Good ', 'day', '.'], delayMs: 50 })
  const { username, password } = server.admin
  const seen = await tab.evaluate(
    // biome-ignore lint/suspicious/noExplicitAny: the page defines it
    ([url, body]) => (globalThis as any).run(url, body),
    [relay.url, { username, password }] as const,
  )
  t.match(seen, {
    asked: [null],
    name: 'assistant',
    wrong: 'THREAD_NOT_FOUND',
    away: ['AGENT_NOT_FOUND', 404],
  })
  t.strictSame(
    seen.frames.map(({ seq }: { seq: number }) => seq),
    seen.frames.map((_: unknown, index: number) => index + 1),
  )
  t.equal(seen.frames.map(({ content = '' }: { content?: string }) => content).join(''), 'Good day.')
  t.equal(seen.frames.at(-1).type, 'done')
})
