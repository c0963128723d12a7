import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import t, { type Test } from './run/file-test.ts'
import { onlyLong } from './run/tier.ts'
import { bundleForBrowser } from './support/browser-bundle.ts'
import { startChat } from './support/chat.ts'
import { noChromium, startChromium } from './support/chromium.ts'
import { startRelay } from './support/relay.ts'
import { ADMIN } from './support/server.ts'

/** The page of another origin that uses the client. */
const CLIENT_PAGE = `
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

/** Serves the page of another origin; returns the origin. */
async function startSite(t: Test): Promise<string> {
  const { code } = await bundleForBrowser(CLIENT_PAGE)
  const site = createServer(({ url }, response) => {
    const isScript = url === '/page.js'
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
    response.end(isScript ? code : '<!doctype html><script type="module" src="/page.js"></script>')
  }).listen(0, '127.0.0.1')
  t.teardown(() => {
    site.closeAllConnections()
    site.close()
  })
  await once(site, 'listening')
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}`
}

/** A page of the browser; what it logs, and each request to another host, is a fault. */
async function openPage(
  browser: Browser,
  url: string,
  { width = 1440, locale = 'en-US' }: { width?: number; locale?: string } = {},
): Promise<{ page: Page; faults: string[] }> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, locale })
  const faults: string[] = []
  page.on('console', (message) => faults.push(message.text()))
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('request', (request) => {
    if (new URL(request.url()).host !== new URL(url).host) faults.push(request.url())
  })
  page.setDefaultTimeout(120_000)
  await page.goto(url)
  await page.waitForSelector('.opblock')
  return { page, faults }
}

// One browser and one server for all, as both are slow to start.
t.test('in a browser', { skip: noChromium }, async (t) => {
  const origin = await startSite(t)
  const env = { SVC_ENABLE_API_DOCS: '1', SVC_CORS_ORIGINS: origin }
  const { fake, server } = await startChat(t, { env })
  const browser = await startChromium(t)

  await t.test('the client works across a cut, on a page of another origin', async (t) => {
    const relay = await startRelay(t, () => server.url)
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

  const docs = `${server.url}/api/docs`

  await t.test('an operation of the API page is opened by its address, and found by a search', async (t) => {
    const { page, faults } = await openPage(browser, `${docs}#createAgent`)
    await page.waitForSelector('.opblock.is-open .responses-wrapper')
    t.equal(await page.evaluate('location.hash'), '#/Agents/createAgent')
    const operation = await page.textContent('.opblock.is-open')
    t.match(operation, /Create an agent/)
    t.match(operation, /AGENT_NAME_TAKEN/)
    t.match(operation, /"name": "numbers"/, 'an example')
    // A click would wait until the page no longer moves.
    await page.press('.models button', 'Enter')
    await page.waitForSelector('.models :text-is("Agent")')
    t.match(
      await page.textContent('#sockets'),
      /WS \/agents\/\{id\}\/chat\/ws: Chat with an agent.*"type": "user_turn"/s,
    )

    await page.keyboard.press('/')
    await page.keyboard.type('list threads')
    await page.press('nav a:text("List your threads")', 'Enter')
    await page.waitForSelector('#operations-Chat-listThreads.is-open')
    t.equal(await page.evaluate('location.hash'), '#/Chat/listThreads')
    await page.fill('#search', 'xyzzy')
    t.equal(await page.locator('nav a').count(), 0)
    await page.goBack()
    await page.waitForSelector('#operations-Agents-createAgent.is-open')
    t.strictSame(faults, [])
    await page.close()
  })

  await t.test('a request is sent with the token of the tab, and its reply is shown', async (t) => {
    const { page, faults } = await openPage(browser, `${docs}#createAgent`)
    // The page moves until the operation of its address is open.
    await page.waitForSelector('.opblock.is-open .responses-wrapper')
    await page.click('#session:text("Sign in")')
    await page.fill('input[name=username]', ADMIN.username)
    await page.fill('input[name=password]', 'wrong-password-1')
    await page.click('dialog button:text("Sign in")')
    await page.waitForSelector('dialog [role=alert]:not(:empty)')
    await page.fill('input[name=password]', ADMIN.password)
    await page.click('dialog button:text("Sign in")')
    await page.waitForSelector('#session:text("Sign out")')
    const [refusal] = faults.splice(0)
    t.match(refusal, /401/, 'only the wrong password is reported')
    await page.reload()
    await page.waitForSelector('#session:text("Sign out")')
    await page.click('.opblock.is-open .try-out__btn')
    await page.fill('.opblock.is-open textarea', '{"name": "from-the-page"}')
    await page.fill('.opblock.is-open input[placeholder="Idempotency-Key"]', 'once')
    // The same key again is answered by the first reply.
    for (let call = 1; call <= 2; call += 1) {
      await page.click('.opblock.is-open .execute')
      await page.waitForSelector('.live-responses-table .response-col_status:text("201")')
      await page.waitForSelector('.live-responses-table :text("from-the-page")')
      t.match(await page.textContent('.curl-command'), /Idempotency-Key: once.*from-the-page/s)
      await page.click('.opblock.is-open .btn-clear')
    }
    const { body: agents } = await server.request('GET', '/agents')
    t.ok((agents as { name: string }[]).some(({ name }) => name === 'from-the-page'))
    t.equal(await page.evaluate('localStorage.length'), 0, 'the token is kept in this tab only')
    await page.click('#session')
    await page.waitForSelector('#session:text("Sign in")')
    t.equal(await page.evaluate('sessionStorage.length'), 0)
    t.strictSame(faults, [])
    await page.close()
  })

  await t.test('the first events of a stream are shown, with a token that was typed in', async (t) => {
    const { page, faults } = await openPage(browser, `${docs}#streamTrajectory`)
    const { body: thread } = await server.request('POST', '/agents/assistant/threads', { body: {} })
    await page.click('.btn.authorize')
    await page.fill('.modal-ux input', server.admin.token)
    await page.click('.modal-ux .auth-btn-wrapper .authorize')
    await page.click('.modal-ux .btn-done')
    await page.click('.opblock.is-open .try-out__btn')
    await page.fill('.opblock.is-open [data-param-name=id] input', 'assistant')
    await page.fill(
      '.opblock.is-open [data-param-name=thread_id] input',
      (thread as { thread_id: string }).thread_id,
    )
    await page.click('.opblock.is-open .execute')
    await page.waitForSelector('.live-responses-table .response-col_status:text("200")')
    t.match(await page.textContent('.live-responses-table'), /event-stream/)
    t.strictSame(faults, [])
    await page.close()
  })

  await t.test(
    'every heading of the API fits a telephone, in both languages',
    { skip: onlyLong },
    async (t) => {
      for (const [locale, word] of [
        ['en-US', 'Parameters'],
        ['zh-CN', '参数'],
      ] as const) {
        const { page, faults } = await openPage(browser, docs, { width: 390, locale })
        t.equal(await page.evaluate('document.documentElement.lang'), locale.slice(0, 2))
        const headings = await page.locator('nav a').all()
        t.ok(headings.length > 20)
        for (const heading of headings) {
          await heading.click()
          await page.waitForSelector(`.opblock-tag:has-text("${await heading.textContent()}")`)
          await page.locator('.opblock-summary-control').first().click()
          await page.waitForSelector(`.opblock.is-open :text-is("${word}")`)
          const [width, shown] = await page.evaluate<[number, number]>(
            '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
          )
          t.equal(width, shown, `${await heading.textContent()} is not too wide`)
        }
        t.strictSame(faults, [])
        await page.close()
      }
    },
  )
})
