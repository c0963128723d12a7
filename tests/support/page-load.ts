import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'

/** A request of a page that was answered completely. */
export interface Load {
  method: string
  path: string
  /** Bytes of headers and body, compressed as they were sent. */
  bytes: number
}

/** The time without a request after which a page has all that it loads by itself, in milliseconds. */
const QUIET_MS = 1_000

/**
 * Opens an address with an empty cache, and returns all requests until the page shows an element and asks for nothing
 * more. Sockets and streams, which do not end, are not among them.
 */
export async function recordLoads(page: Page, address: string, shows: string): Promise<Load[]> {
  const devtools = await page.context().newCDPSession(page)
  const loads = new Map<string, Load>()
  let changedAt = Date.now()
  devtools.on('Network.requestWillBeSent', ({ requestId, request: { url, method } }) => {
    changedAt = Date.now()
    if (url.startsWith('http')) loads.set(requestId, { method, path: new URL(url).pathname, bytes: 0 })
  })
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    changedAt = Date.now()
    const load = loads.get(requestId)
    if (load) load.bytes = encodedDataLength
  })
  await devtools.send('Network.enable')
  await page.goto(address)
  await page.locator(shows).first().waitFor()
  while (Date.now() - changedAt < QUIET_MS) await pause(QUIET_MS / 10)
  await devtools.detach()
  return [...loads.values()].filter(({ bytes }) => bytes > 0)
}

/** Returns the loads of files with an ending, and their bytes together. */
export function ofKind(loads: readonly Load[], ending: string): { count: number; bytes: number } {
  const matching = loads.filter(({ path }) => path.endsWith(ending))
  return { count: matching.length, bytes: matching.reduce((sum, { bytes }) => sum + bytes, 0) }
}
