import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import type { Test } from 'tap'

const EXECUTABLE = '/usr/bin/chromium'

/** The reason to skip tests that need a browser, or false if there is one. */
export const noChromium: string | false = existsSync(EXECUTABLE) ? false : 'chromium is not installed here'

/** Starts a browser that closes with the test. */
export async function startChromium(t: Test): Promise<Browser> {
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ]
  const browser = await chromium.launch({ executablePath: EXECUTABLE, args })
  t.teardown(() => browser.close())
  return browser
}
