import { lookup } from 'mime-types'
import type { Page } from 'playwright-core'
import t from '../run/file-test.ts'
import { startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole } from '../support/console.ts'

/** A picture of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const SCRIPT = `globalThis.hasRun = true
globalThis.onconnect = ({ ports }) => ports[0].postMessage('run')
if (!globalThis.document) globalThis.postMessage?.('run')
`
const MARKUP = '<script>parent.hasRun = true</script>'
const FILES: Record<string, string | Buffer> = {
  'a.js': SCRIPT,
  'a.mjs': SCRIPT,
  'a.cjs': SCRIPT,
  'a.css': 'body { --styled: yes }',
  'a.json': '{}',
  'a.html': MARKUP,
  'a.xhtml': `<html xmlns="http://www.w3.org/1999/xhtml">${MARKUP}</html>`,
  'a.svg': `<svg xmlns="http://www.w3.org/2000/svg">${MARKUP}</svg>`,
  'a.xml': `<a xmlns:h="http://www.w3.org/1999/xhtml"><h:script>parent.hasRun = true</h:script></a>`,
  'a.txt': SCRIPT,
  'a.webmanifest': '{"name":"x"}',
  'a.png': PIXEL,
}

/** The files that a browser imports as data, which contain no code. */
const DATA_MODULES = { 'a.json': ['json'], 'a.webmanifest': ['json'] }

/**
 * Runs in a page: loads an address in each way in which a browser would run it; resolves with the ways that were not
 * refused.
 */
const tryToRun = async (address: string): Promise<string[]> => {
  // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
  const page = globalThis as any
  const { document } = page
  /** Adds an element; true once it has loaded, false if that failed. */
  const load = (tag: string, attributes: object) =>
    new Promise<boolean>((resolve) => {
      const element = Object.assign(document.createElement(tag), attributes)
      element.onload = () => resolve(true)
      element.onerror = () => resolve(false)
      document.body.append(element)
    })
  const settles = (work: () => Promise<unknown>) =>
    work().then(
      () => true,
      () => false,
    )
  const works = (start: () => { onmessage: unknown; onerror: unknown }) =>
    new Promise<boolean>((resolve) => {
      try {
        Object.assign(start(), { onmessage: () => resolve(true), onerror: () => resolve(false) })
      } catch {
        resolve(false)
      }
    })
  const ways: Record<string, () => Promise<boolean>> = {
    script: async () => {
      await load('script', { src: address })
      return page.hasRun === true
    },
    module: () => load('script', { src: address, type: 'module' }),
    import: () => settles(() => import(address)),
    json: () => settles(() => import(address, { with: { type: 'json' } })),
    worker: () => works(() => new page.Worker(address)),
    moduleWorker: () => works(() => new page.Worker(address, { type: 'module' })),
    sharedWorker: () =>
      new Promise((resolve) => {
        try {
          const worker = new page.SharedWorker(address)
          worker.onerror = () => resolve(false)
          worker.port.onmessage = () => resolve(true)
          // Chromium sometimes does not report a shared worker that it has refused.
          page.setTimeout(() => resolve(false), 5000)
        } catch {
          resolve(false)
        }
      }),
    serviceWorker: () => settles(() => page.navigator.serviceWorker.register(address)),
    style: async () => {
      await load('link', { rel: 'stylesheet', href: address })
      return page.getComputedStyle(document.body).getPropertyValue('--styled') !== ''
    },
  }
  const running: string[] = []
  for (const [way, run] of Object.entries(ways)) if (await run()) running.push(way)
  return running
}

// The policy of the page, the refusal by destination and the media types each keep a file from being run.
t.test('files of people are not run on the origin of the console', { skip: noChromium }, async (t) => {
  const { server, fake } = await startChat(t)
  const browser = await startChromium(t)
  const links: Record<string, string> = {}
  for (const [path, content] of Object.entries(FILES)) {
    const response = await fetch(`${server.url}/api/agents/assistant/files/content?path=${path}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${server.admin.token}`, 'content-type': 'application/octet-stream' },
      body: content,
    })
    t.equal(response.status, 201, path)
    const made = await server.request('POST', '/agents/assistant/files/link', {
      body: { path, expires_in_seconds: 600 },
    })
    links[path] = server.url + made.body.url
  }
  /** Tries all files on a page, one page each, so that none sees the traces of another. */
  const runAll = async (openPage: () => Promise<Page>): Promise<Record<string, string[]>> => {
    const running: Record<string, string[]> = {}
    for (const [path, link] of Object.entries(links)) {
      const page = await openPage()
      const ways = await page.evaluate(tryToRun, link)
      if (ways.length > 0) running[path] = ways
      await page.close()
    }
    return running
  }

  await t.test('the policy of the console allows its own scripts only', async (t) => {
    const context = await browser.newContext()
    t.teardown(() => context.close())
    // As from a server that says no more of a file than its type.
    await context.route('**/files/linked*', (route) => {
      const [path] = Object.entries(links).find(([, link]) => link === route.request().url())!
      return route.fulfill({ body: FILES[path]!, contentType: lookup(path) || 'text/plain' })
    })
    const running = await runAll(async () => {
      const page = await context.newPage()
      await page.goto(`${server.url}/login`)
      return page
    })
    t.strictSame(running, DATA_MODULES)
  })

  await t.test('the server refuses to send them for that', async (t) => {
    const context = await browser.newContext({ bypassCSP: true })
    t.teardown(() => context.close())
    const running = await runAll(async () => {
      const page = await context.newPage()
      await page.goto(`${server.url}/login`)
      return page
    })
    t.strictSame(running, {})
  })

  await t.test('and browsers that name no destination do not run their media types', async (t) => {
    const context = await browser.newContext({ bypassCSP: true })
    t.teardown(() => context.close())
    await context.route('**/files/linked*', async (route) => {
      const { 'sec-fetch-dest': _, ...headers } = await route.request().allHeaders()
      await route.fulfill({ response: await route.fetch({ headers: { ...headers, 'sec-fetch-dest': '' } }) })
    })
    const running = await runAll(async () => {
      const page = await context.newPage()
      await page.goto(`${server.url}/login`)
      return page
    })
    t.strictSame(running, DATA_MODULES)
  })

  await t.test('nor do documents of them run anything, in a frame or a tab of their own', async (t) => {
    const context = await browser.newContext({ bypassCSP: true })
    t.teardown(() => context.close())
    const page = await context.newPage()
    await page.goto(`${server.url}/login`)
    const hasRun = () => page.evaluate('globalThis.hasRun === true')
    for (const path of ['a.html', 'a.xhtml', 'a.svg', 'a.xml', 'a.txt'])
      for (const tag of ['iframe', 'object', 'embed'])
        for (const query of ['', '&inline=1']) {
          const reply = page.waitForResponse((response) => response.url().includes('/files/linked'))
          await page.evaluate(
            `document.body.append(Object.assign(document.createElement('${tag}'),
              { ${tag === 'object' ? 'data' : 'src'}: ${JSON.stringify(links[path] + query)} }))`,
          )
          const { 'content-security-policy': policy } = (await reply).headers()
          t.ok((await reply).status() === 403 || /\bsandbox\b/.test(policy ?? ''), `${path} in ${tag}`)
          t.notOk(await hasRun(), `${path} in ${tag}`)
        }
    const picture = await page.evaluate(
      `new Promise((resolve) => {
        const image = Object.assign(new Image(), { src: ${JSON.stringify(links['a.png'])} })
        image.onload = () => resolve(image.naturalWidth)
        image.onerror = () => resolve(0)
      })`,
    )
    t.equal(picture, 1, 'pictures can be embedded')
  })

  await t.test('the console previews files, and its own scripts and workers run', async (t) => {
    const { page, faults } = await openConsole(browser, server.url, { path: '/agents' })
    t.teardown(() => page.close())
    const agents = await server.request('GET', '/agents')
    const { id } = agents.body.find(({ name }: { name: string }) => name === 'assistant')
    await page.goto(`/agents/${id}/files`)
    await page
      .getByRole('button', { name: /a\.png/ })
      .first()
      .click()
    await page.getByRole('dialog').getByRole('img', { name: 'a.png' }).waitFor()
    await page.keyboard.press('Escape')
    await page
      .getByRole('button', { name: /a\.js\b/ })
      .first()
      .click()
    await page.getByRole('textbox', { name: 'a.js' }).waitFor()
    t.equal(await page.getByRole('textbox', { name: 'a.js' }).inputValue(), SCRIPT)

    fake.next({ text: ['```js\nconst answer = 42\n```\n'] })
    await page.goto(`/chat/${id}`)
    await page.getByRole('textbox', { name: /^Message/ }).fill('Code, please')
    await page.keyboard.press('Enter')
    // Only the worker that highlights writes spans.
    await page.locator('pre code span', { hasText: 'const' }).first().waitFor()
    t.strictSame(faults, [])
  })
})
