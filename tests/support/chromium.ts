import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import type { Test } from '../run/file-test.ts'

/** The shell without a window costs two thirds of the processor time of the whole browser. */
const EXECUTABLE = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path))

/** The reason to skip tests that need a browser, or false if there is one. */
export const noChromium: string | false = EXECUTABLE ? false : 'chromium is not installed here'

/** Starts a browser that closes with the test; `flags` are further arguments of its command. */
export async function startChromium(t: Test, flags: readonly string[] = []): Promise<Browser> {
  const args = [
    ...flags,
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ]
  const browser = await chromium.launch({ executablePath: EXECUTABLE!, args })
  t.teardown(() => browser.close())
  return browser
}
