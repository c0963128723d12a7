import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import { ADMIN } from './server.ts'

const WEB = join(import.meta.dirname, '../../plugins/console/web')
const TYPES: Record<string, string> = { html: 'text/html', js: 'text/javascript', css: 'text/css' }

/** The reason to skip tests of the page, or false if it is built. */
export const noConsole: string | false = existsSync(join(WEB, 'index.html'))
  ? false
  : 'the page of the console is not built'

/** Serves the page of the console in front of a server until the test ends; returns its address. */
export async function startConsole(t: Test, server: { url: string }): Promise<string> {
  const listener = createServer((incoming, reply) =>
    incoming.url?.startsWith('/api') ? forward(server.url, incoming, reply) : serve(incoming, reply),
  ).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  t.teardown(() => {
    listener.closeAllConnections()
    listener.close()
  })
  return `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
}

function serve({ url = '/' }: IncomingMessage, reply: ServerResponse): void {
  const path = join(WEB, new URL(url, 'http://console').pathname)
  const file = /\.\w+$/.test(path) && existsSync(path) ? path : join(WEB, 'index.html')
  reply.writeHead(200, { 'content-type': TYPES[file.split('.').at(-1)!] ?? 'image/svg+xml' })
  reply.end(readFileSync(file))
}

function forward(to: string, incoming: IncomingMessage, reply: ServerResponse): void {
  const { method, headers, url } = incoming
  const outgoing = request(`${to}${url}`, { method, headers }, (answer) => {
    reply.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(reply)
  })
  outgoing.on('error', () => reply.destroy())
  reply.on('close', () => outgoing.destroy())
  incoming.pipe(outgoing)
}

/** Opens the console in a browser of its own and signs in; what the page logs as an error is a fault. */
export async function openConsole(
  t: Test,
  browser: Browser,
  url: string,
  {
    username = ADMIN.username,
    password = ADMIN.password,
    width = 1440,
    locale = 'en-US',
    dark = false,
  }: { username?: string; password?: string; width?: number; locale?: string; dark?: boolean } = {},
): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext({
    baseURL: url,
    locale,
    viewport: { width, height: width > 600 ? 900 : 844 },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  })
  t.teardown(() => context.close())
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    // A browser logs each refused request as an error.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load'))
      faults.push(message.text())
  })
  page.setDefaultTimeout(15_000)
  await page.goto('/models')
  await page.locator('input[name=username]').fill(username)
  await page.locator('input[name=password]').fill(password)
  await page.locator('button[type=submit]').click()
  await page.locator('input[name=password]').waitFor({ state: 'detached' })
  await page.locator('h1').waitFor()
  return { page, faults }
}
