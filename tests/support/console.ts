import type { Browser, Page } from 'playwright-core'
import type { Test } from '../run/file-test.ts'
import { startRelay } from './relay.ts'
import { ADMIN, type TestServer } from './server.ts'

/** Returns an address of the console that stays the same when its server is restarted. */
export const serveConsole = async (t: Test, server: Pick<TestServer, 'url'>): Promise<string> =>
  (await startRelay(t, () => server.url)).url

/** Opens a page of the console and signs in by the form; what the page reports as an error is a fault. */
export async function openConsole(
  browser: Browser,
  url: string,
  {
    path = '/',
    username = ADMIN.username,
    password = ADMIN.password,
    ...context
  }: {
    path?: string
    username?: string
    password?: string
    viewport?: { width: number; height: number }
    locale?: string
    colorScheme?: 'light' | 'dark'
  } = {},
): Promise<{ page: Page; faults: string[] }> {
  const page = await browser.newPage({
    baseURL: url,
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    reducedMotion: 'reduce',
    ...context,
  })
  page.setDefaultTimeout(30_000)
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.stack ?? error.message))
  page.on('console', (message) => {
    // A browser logs each refused request as an error.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load'))
      faults.push(message.text())
  })
  await page.goto(path)
  await page.getByLabel('Username').or(page.getByLabel('用户名')).fill(username)
  await page.locator('input[name=password]').fill(password)
  await page.locator('button[type=submit]').click()
  await page.locator('input[name=password]').waitFor({ state: 'detached' })
  return { page, faults }
}
