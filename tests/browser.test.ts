import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { eventually } from '../plugin-api/testing/waiting.ts'
import t, { type Test } from './run/file-test.ts'
import { onlyLong } from './run/tier.ts'
import { bundleForBrowser } from './support/browser-bundle.ts'
import { startChat } from './support/chat.ts'
import { noChromium, startChromium } from './support/chromium.ts'
import { runCompiler } from './support/compiler.ts'
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
  await page.waitForSelector('h1')
  return { page, faults }
}

/**
 * Runs in the page: shows every page, or each n-th, and lists those that are too wide or have a field without a name;
 * returns their samples as well.
 */
const lookAtPages = (step: number) => `(async () => {
  const problems = []
  const samples = {}
  const hashes = [...document.querySelectorAll('nav a')].map((link) => link.hash)
  const chosen = [...hashes, '#schema-Agent', '#schema-Block', '#nothing'].filter((_, index) => index % ${step} === 0)
  for (const hash of new Set(chosen)) {
    const shown = new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }))
    if (location.hash !== hash) {
      location.hash = hash
      await shown
    }
    for (const details of document.querySelectorAll('main details')) details.open = true
    await new Promise((resolve) => setTimeout(resolve))
    const sample = document.querySelector('.samples pre')?.textContent
    if (sample) samples[hash.slice(1)] = sample
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth > clientWidth) problems.push(hash + ' is too wide')
    if (document.querySelectorAll('h1').length !== 1) problems.push(hash + ' has no heading')
    if (/undefined|\\[object/.test(document.querySelector('main').textContent)) problems.push(hash + ' shows undefined')
    for (const field of document.querySelectorAll('main :is(input, select, textarea)'))
      if (field.labels.length === 0 && !field.ariaLabel) problems.push(hash + ' has a field without a name')
  }
  return { problems, count: hashes.length, samples }
})()`

interface Look {
  problems: string[]
  count: number
  samples: Record<string, string>
}

/** Compiles files of TypeScript that import this package, and returns the errors. */
async function compile(t: Test, files: Record<string, string>): Promise<string> {
  const folder = t.testdir(files)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    types: ['node'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  return runCompiler(['-p', folder])
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
  /** The samples in TypeScript by the id of their operation. */
  const written: Record<string, string> = {}

  await t.test('an operation of the API page is opened by its address, and found by a search', async (t) => {
    const { page, faults } = await openPage(browser, `${docs}#createAgent`)
    t.match(await page.textContent('h1'), /Create an agent/)
    t.match(await page.title(), /^Create an agent/)
    t.match(await page.textContent('[aria-labelledby=part-body] .fields'), /name.*string.*required/)
    t.match(await page.textContent('main'), /AGENT_NAME_TAKEN/)
    t.match(await page.textContent('.samples'), /curl -X POST .*\/api\/agents/)
    await page.click('text=TypeScript')
    t.match(await page.textContent('.samples'), /client\.POST\('\/agents', \{\n {2}body: \{/)
    await page.click('text=Python')
    t.match(await page.textContent('.samples'), /requests\.post\(/)

    await page.keyboard.press('/')
    await page.keyboard.type('list threads')
    await page.waitForSelector('#results a[href="#listThreads"]')
    await page.keyboard.press('Enter')
    await eventually('the found one is shown', async () =>
      (await page.title()).startsWith('List your threads'),
    )
    t.equal(await page.evaluate('location.hash'), '#listThreads')
    t.equal(await page.evaluate("document.activeElement === document.querySelector('h1')"), true)
    await page.fill('#search', 'xyzzy')
    t.equal(await page.textContent('#results'), 'Nothing found')
    await page.goBack()
    await eventually('the one before is shown', async () =>
      (await page.title()).startsWith('Create an agent'),
    )
    t.strictSame(faults, [])
    await page.close()
  })

  await t.test('a request is sent with the token of the tab, and its reply is shown', async (t) => {
    const { page, faults } = await openPage(browser, `${docs}#createAgent`)
    await page.click('text=Sign in to send this request.')
    await page.fill('input[name=username]', ADMIN.username)
    await page.fill('input[name=password]', 'wrong-password-1')
    await page.click('dialog .primary')
    await page.waitForSelector('dialog .failure:not(:empty)')
    await page.fill('input[name=password]', ADMIN.password)
    await page.click('dialog .primary')
    await page.waitForSelector('text=Sign out')
    await page.fill('#try-body', '{"name": "from-the-page"}')
    await page.fill('#try-header-Idempotency-Key', 'once')
    t.match(
      await page.textContent('.samples'),
      /-H 'Idempotency-Key: once'.*from-the-page/s,
      'samples follow the form',
    )
    await page.click('.try .primary')
    t.match(await page.textContent('.output .status'), /^201/)
    t.match(await page.textContent('.output'), /"name": "from-the-page"/)
    // The same key again is answered by the first reply.
    await page.click('.try .primary')
    await page.waitForSelector('.try .primary:not(:disabled)')
    t.match(await page.textContent('.output .status'), /^201/)
    const { body: agents } = await server.request('GET', '/agents')
    t.ok((agents as { name: string }[]).some(({ name }) => name === 'from-the-page'))
    t.equal(await page.evaluate('Object.values(localStorage).every((value) => value.length < 20)'), true)
    const [refusal] = faults.splice(0)
    t.match(refusal, /401/, 'only the wrong password is reported')

    await page.evaluate("location.hash = '#chatWithAgent'")
    await page.fill('#try-id', 'from-the-page')
    await page.click('.try .primary')
    await page.waitForSelector('.frames-log .state')
    await page.selectOption('.try select', 'ping')
    await page.click('.try button:text("Send")')
    await page.waitForSelector('.frames-log .in')
    t.equal(await page.textContent('.frames-log .in'), '{"type":"pong"}')
    await page.click('text=Sign out')
    await page.evaluate("location.hash = '#createAgent'")
    await page.waitForSelector('text=Sign in to send this request.')
    t.equal(await page.evaluate('sessionStorage.length'), 0)
    t.strictSame(faults, [])
    await page.close()
  })

  await t.test('an event stream is shown while it runs', async (t) => {
    const { page, faults } = await openPage(browser, `${docs}#streamTrajectory`)
    const { body: thread } = await server.request('POST', '/agents/assistant/threads', { body: {} })
    await page.click('#session')
    await page.fill('input[name=token]', server.admin.token)
    await page.click('dialog button:text-is("Use")')
    await page.fill('#try-path-id', 'assistant')
    await page.fill('#try-path-thread_id', (thread as { thread_id: string }).thread_id)
    await page.click('.try .primary')
    await page.waitForSelector('.output pre[aria-label="Events"]:has-text(":")')
    await page.click('.try button:text-is("Stop")')
    await page.waitForSelector('.try .primary:not(:disabled)')
    t.match(await page.textContent('.output .status'), /^200/)
    t.strictSame(faults, [])
    await page.close()
  })

  await t.test('every page of the API fits a telephone, in both languages', { skip: onlyLong }, async (t) => {
    for (const [locale, step] of [
      ['en-US', 1],
      ['zh-CN', 20],
    ] as const) {
      const { page, faults } = await openPage(browser, docs, { width: 390, locale })
      await page.evaluate("localStorage.setItem('svc-docs-sample', 'TypeScript')")
      const { problems, count, samples } = await page.evaluate<Look>(lookAtPages(step))
      t.strictSame(problems, [])
      Object.assign(written, samples)
      t.ok(count > 100)
      t.equal(await page.evaluate('document.documentElement.lang.slice(0, 2)'), locale.slice(0, 2))
      t.equal(await page.isVisible('nav'), false)
      await page.click('.menu')
      t.equal(await page.isVisible('nav'), true)
      t.strictSame(faults, [])
      await page.close()
    }
  })

  await t.test('the samples in TypeScript compile', { skip: onlyLong }, async (t) => {
    const files = Object.entries(written).map(([id, text]) => [`${id}.ts`, text])
    t.ok(files.length > 100)
    t.equal(await compile(t, Object.fromEntries(files)), '')
  })
})
