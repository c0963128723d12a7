import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

const executablePath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) =>
  existsSync(path),
)
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
]

/** A phone: a processor four times slower, and a network like 4G. */
const cpuRate = 4
const network = {
  offline: false,
  latency: 40,
  downloadThroughput: (10 * 1024 * 1024) / 8,
  uploadThroughput: (3 * 1024 * 1024) / 8,
}

/** Starts Chromium; throws if it is not installed. */
export async function startBrowser(): Promise<Browser> {
  if (!executablePath) throw new Error('chromium is not installed here')
  return chromium.launch({ executablePath, args })
}

/** Signs in by the form and returns what a browser remembers of it. */
export async function signIn(browser: Browser, url: string, password: string) {
  const page = await browser.newPage({ baseURL: url })
  await page.goto('/account')
  await page.locator('input:not([type=password])').first().fill('admin')
  await page.locator('input[name=password]').fill(password)
  await page.locator('button[type=submit]').click()
  await page.locator('input[name=password]').waitFor({ state: 'detached' })
  const state = await page.context().storageState()
  await page.close()
  return state
}

type State = Awaited<ReturnType<BrowserContext['storageState']>>

/**
 * Opens a page with an empty cache on a slow phone, or on this machine as it is; returns when it painted first and when
 * an element was shown, in ms.
 */
export async function measurePaint(
  browser: Browser,
  address: string,
  { shows, storageState, isSlow = true }: { shows: string; storageState?: State; isSlow?: boolean },
): Promise<{ painted: number; shown: number; storageState: State }> {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    ...(storageState && { storageState }),
  })
  const page = await context.newPage()
  if (isSlow) {
    const devtools = await context.newCDPSession(page)
    await devtools.send('Network.enable')
    await devtools.send('Network.emulateNetworkConditions', network)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: cpuRate })
  }
  await page.addInitScript(`
    globalThis.isShown = new Promise((resolve) => {
      const look = () => {
        if (document.querySelector(${JSON.stringify(shows)})) resolve(performance.now())
        else requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    })`)
  await page.goto(address)
  const times = await page.evaluate<{ painted: number; shown: number }>(`isShown.then(async (shown) => {
    for (;;) {
      const [first] = performance.getEntriesByName('first-contentful-paint')
      if (first) return { painted: first.startTime, shown }
      await new Promise(requestAnimationFrame)
    }
  })`)
  // Each visit has replaced the refresh cookie.
  const next = await context.storageState()
  await context.close()
  return { ...times, storageState: next }
}

/** Counts the display frames of a page while something happens; returns frames a second and the longest gap in ms. */
export async function measureFrames(
  page: Page,
  work: () => Promise<unknown>,
): Promise<{ rate: number; longest: number }> {
  await page.evaluate(`
    globalThis.frames = []
    globalThis.isCounting = true
    const count = (at) => {
      frames.push(at)
      if (isCounting) requestAnimationFrame(count)
    }
    requestAnimationFrame(count)`)
  await work()
  return page.evaluate(`
    globalThis.isCounting = false;
    ({
      rate: ((frames.length - 1) * 1000) / (frames.at(-1) - frames[0]),
      longest: Math.max(...frames.slice(1).map((at, index) => at - frames[index])),
    })`)
}
