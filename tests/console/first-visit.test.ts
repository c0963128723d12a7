import type { Page } from 'playwright-core'
import t from '../run/file-test.ts'
import { createHold, startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole } from '../support/console.ts'
import { ofKind, recordLoads } from '../support/page-load.ts'

/** The background of dark pages. */
const DARK = 'rgb(23, 27, 37)'
const backgroundOf = (page: Page) =>
  page.evaluate(`getComputedStyle(document.querySelector('#frame')).backgroundColor`)

t.test('a first visit in a browser', { skip: noChromium }, async (t) => {
  const chat = await startChat(t)
  const { url } = chat.server
  const browser = await startChromium(t)
  /** Opens a page with an empty cache. */
  const open = (options: Parameters<typeof browser.newPage>[0] = {}) =>
    browser.newPage({ baseURL: url, locale: 'en-US', reducedMotion: 'reduce', ...options })
  const mark = (page: Page) => page.locator('svg[viewBox="0 0 32 32"]:visible')

  await t.test('the sign-in loads its own code, and the console once somebody fills it in', async (t) => {
    const page = await open()
    const loads = await recordLoads(page, '/login', 'input')
    const scripts = ofKind(loads, '.js')
    t.ok(scripts.count <= 4, `${scripts.count} scripts`)
    t.ok(ofKind(loads, '.css').count <= 2)
    t.ok(scripts.bytes <= 110_000, `${scripts.bytes} bytes of scripts`)
    const next = page.waitForRequest(/\/assets\/data-/)
    await page.getByLabel('Username').fill('a')
    await next
    await page.close()
  })

  await t.test('a chat loads few files, and asks for nothing that it does not show', async (t) => {
    const { page } = await openConsole(browser, url, { path: `/chat/${chat.agent_id}` })
    chat.fake.next({ text: ['Good **day**'] })
    await page.getByRole('textbox', { name: 'Message assistant…' }).fill('Hello')
    await page.keyboard.press('Enter')
    await page.locator('strong', { hasText: 'day' }).waitFor()
    const visit = await open({ storageState: await page.context().storageState() })
    const loads = await recordLoads(visit, page.url(), 'article strong')
    await page.close()
    await visit.close()

    const scripts = ofKind(loads, '.js')
    // Three more than the budget of a chat: the host of slots, its styles, and the thumbs under the answer.
    const files = scripts.count + ofKind(loads, '.css').count
    t.ok(files <= 18, `${files} scripts and styles`)
    // Local builds are compressed less than releases, whose limits are in `.ci/budget.js`.
    t.ok(scripts.bytes <= 311_000, `${scripts.bytes} bytes of scripts`)
    t.ok(loads.length <= 40, `${loads.length} requests`)
    const asked = loads.map(({ path }) => path)
    t.equal(asked.filter((path) => path === '/api/console').length, 1)
    t.notOk(asked.includes('/api/admin/overview'), 'a list of next steps that is not shown')
    const assets = asked.filter((path) => path.startsWith('/assets/'))
    t.same(assets, [...new Set(assets)])
  })

  await t.test('a frame is shown while scripts load, which becomes the form without a jump', async (t) => {
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 390, height: 844 },
    ]) {
      const page = await open({ viewport, colorScheme: 'dark' })
      const { hold, release } = createHold()
      await page.route('**/assets/*.js', (route) => hold.then(() => route.continue()))
      await page.goto('/login', { waitUntil: 'commit' })
      const loadingBox = await mark(page).boundingBox()
      await page.getByText('Loading… 正在加载…').waitFor()
      t.equal(await backgroundOf(page), DARK)
      release()
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      const signInBox = await mark(page).boundingBox()
      for (const side of ['x', 'y', 'width', 'height'] as const)
        t.ok(Math.abs(loadingBox![side] - signInBox![side]) < 1, `${side} of the mark`)
      t.notOk(await page.locator('#frame').isVisible())
      await page.close()
    }
  })

  await t.test('a theme that was chosen holds before the page is rendered', async (t) => {
    const page = await open({ colorScheme: 'light' })
    await page.goto('/login')
    await page.getByRole('button', { name: 'Theme: System' }).click()
    await page.getByRole('button', { name: 'Theme: Light' }).click()
    await page.route('**/api/auth/refresh', () => {})
    await page.goto('/login')
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
    t.ok(await page.locator('#frame').isVisible())
    t.equal(await backgroundOf(page), DARK)
    await page.close()
  })

  await t.test('without scripts it says in both languages what else there is', async (t) => {
    const page = await open({ javaScriptEnabled: false })
    await page.goto('/')
    await page.getByText(/needs JavaScript.*svc chat/).waitFor()
    await page.getByText(/需要 JavaScript.*svc chat/).waitFor()
    t.notOk(await page.getByText('Loading').isVisible())
    await page.close()
  })
})
