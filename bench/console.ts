import { MongoClient } from 'mongodb'
import type { Page } from 'playwright-core'
import { measureFrames, measurePaint, signIn, startBrowser } from './browser.ts'
import { type Figure, median, type Row, spread } from './figure.ts'
import { startPacedUpstream } from './paced-upstream.ts'
import { seedThread } from './seed.ts'

const visits = 5
const messages = 2_000
const tokensPerSecond = 100

/** Measures the console in Chromium: the first paint on a slow phone, and frames a second in a long thread. */
export const measureConsole: Figure = async (stage) => {
  const service = await stage.startService(await stage.createHome())
  const { agentId, call, password } = await stage.createAccount(service)
  const upstream = await startPacedUpstream(tokensPerSecond)
  const browser = await startBrowser()
  try {
    await call('POST', '/admin/providers', {
      name: 'paced',
      kind: 'openai-compatible',
      base_url: upstream.url,
      api_key: 'bench-key',
      models: [{ id: 'paced', name: 'paced' }],
    })
    await call('PUT', '/models/active', { model: 'paced:paced' })
    const { thread_id } = await call<{ thread_id: string }>('POST', `/agents/${agentId}/threads`)
    const client = await MongoClient.connect((await service.engine()).uri)
    await seedThread(client.db('svc'), { thread_id, count: messages })
    await client.close()
    const chat = `${service.url}/chat/${agentId}/${thread_id}`

    const start = await repeat(() => measurePaint(browser, `${service.url}/login`, { shows: 'input' }))
    let storageState = await signIn(browser, service.url, password)
    const opened = await repeat(async () => {
      const visit = await measurePaint(browser, chat, { shows: 'article', storageState })
      storageState = visit.storageState
      return visit
    })

    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, storageState })
    const page = await context.newPage()
    await page.goto(chat)
    await page.locator('article').first().waitFor()
    await readAll(page)
    const scrolling = await measureFrames(page, () => scroll(page))
    await page.getByRole('button', { name: 'To the end' }).click()
    const streaming = await measureFrames(page, async () => {
      await page.locator('main textarea').first().fill('Tell me something about the sea.')
      await page.keyboard.press('Enter')
      await page.locator('article[aria-busy=true]').waitFor()
      await page.locator('article[aria-busy=true]').waitFor({ state: 'detached' })
    })

    const note = 'a processor four times slower and 4G, empty cache'
    const toRow = (measure: string, times: number[]): Row => ({
      measure,
      value: median(times),
      unit: 'ms',
      note: `median of ${visits}, ${spread(times)}; ${note}`,
    })
    const toFrames = (measure: string, { rate, longest }: { rate: number; longest: number }): Row => ({
      measure,
      value: rate,
      unit: 'frames/s',
      note: `in a thread of ${messages} messages; the longest gap ${longest.toFixed()} ms`,
    })
    return [
      toRow(
        'sign-in, first paint',
        start.map(({ painted }) => painted),
      ),
      toRow(
        'sign-in, form shown',
        start.map(({ shown }) => shown),
      ),
      toRow(
        'chat, first paint',
        opened.map(({ painted }) => painted),
      ),
      toRow(
        'chat, messages shown',
        opened.map(({ shown }) => shown),
      ),
      toFrames('scrolling', scrolling),
      toFrames(`streaming ${tokensPerSecond} tokens a second`, streaming),
    ]
  } finally {
    await browser.close()
    upstream.close()
  }
}

async function repeat<T>(measure: () => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let visit = 0; visit < visits; visit++) results.push(await measure())
  return results
}

const SCROLLER = `document.querySelector('section[aria-label=Messages]').parentElement.parentElement`

/** Scrolls up until the page has read the whole thread. */
const readAll = (page: Page) =>
  page.evaluate(`new Promise((resolve) => {
    let before
    const read = () => {
      const scroller = ${SCROLLER}
      const height = scroller.scrollHeight
      scroller.scrollTop = 0
      if (height === before && document.querySelector('[data-index="0"]')?.textContent.startsWith('Message 1:')) resolve()
      else setTimeout(read, 100)
      before = height
    }
    read()
  })`)

/** Scrolls down at the speed of a quick hand for four seconds. */
const scroll = (page: Page) =>
  page.evaluate(`new Promise((resolve) => {
    const scroller = ${SCROLLER}
    const until = performance.now() + 4000
    const step = () => {
      scroller.scrollTop += 60
      if (performance.now() < until) requestAnimationFrame(step)
      else resolve()
    }
    requestAnimationFrame(step)
  })`)
