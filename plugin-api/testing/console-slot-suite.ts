import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { test as nodeTest } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Plugin } from '#kernel'
import { CONSOLE_SLOTS } from '../console.ts'
import { assertPart } from './assert-part.ts'
import { listEntries } from './declared-entries.ts'
import { declareTests, type TestFunction } from './test-function.ts'

/** A plugin that adds to places of the console. */
export interface ConsoleSlotSubject {
  plugin: Plugin
  /** The folder of the plugin, which holds its `package.json`: modules that are not URLs are paths in it. */
  folder: string
  /** Answers `request(method, path, body)` of the modules; null for every call if it is missing. */
  replies?: Readonly<Record<string, unknown>>
  /** Declares the tests: `test` of `node:test` unless another is given, e.g. `(name, run) => t.test(name, run)` of tap. */
  test?: TestFunction
}

interface Slot {
  slot: string
  module: string
}

/** Browsers that show a page without a window. */
const BROWSERS = [
  process.env.SVC_TEST_BROWSER,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
]
const LIMIT_MS = 60_000

/**
 * Tests what a plugin adds to places of the console: that each module exists, and that a browser loads it, mounts it,
 * updates it and removes it without an error. Without a browser, which SVC_TEST_BROWSER names, the second part is left out.
 */
export function testConsoleSlot({
  plugin,
  folder,
  replies = {},
  test = nodeTest,
}: ConsoleSlotSubject): unknown {
  const slots = listEntries(plugin, 'console.slots') as Slot[]
  const browser = BROWSERS.find((path) => path && existsSync(path))

  return declareTests(test, `slots of ${plugin.name}`, async (_, add) => {
    await add(
      'it adds to places that the console has, with modules that exist',
      async () => {
        assert.ok(slots.length > 0, 'the plugin must extend console.slots, but it does not')
        for (const { slot, module } of slots) {
          assert.ok(
            (CONSOLE_SLOTS as readonly string[]).includes(slot),
            `slot must be one of ${CONSOLE_SLOTS.join(', ')}, but it is ${slot}`,
          )
          assert.ok(existsSync(fileOf(folder, module)), `${fileOf(folder, module)} must exist, but does not`)
        }
      },
      'Let the entry have a slot, and as module the path of an ES module in the folder of the plugin, which the package publishes.',
    )

    for (const { slot, module } of slots) {
      const title = `${slot}: ${basename(module)} is shown, updated and removed`
      if (!browser) await add(`${title} (left out: no browser is installed)`, async () => undefined)
      else
        await add(
          title,
          async () => {
            const outcome = await mountIn(browser, fileOf(folder, module), replies)
            assertPart(outcome, /^shown$/, 'the outcome')
          },
          'Let the module be one ES module for browsers without imports of packages, whose default export is mount(element, context) and returns { update?(context), unmount() }; unmount takes out of the element what mount put there.',
        )
    }
  })
}

const fileOf = (folder: string, module: string) =>
  module.startsWith('file:') ? fileURLToPath(module) : resolve(folder, module)

/** Mounts a module in a page of a browser; returns `shown`, or what went wrong. */
async function mountIn(browser: string, file: string, replies: Readonly<Record<string, unknown>>) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://page')
    const send = (type: string, body: string | Buffer) =>
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body)
    if (pathname === '/')
      return send('text/html', '<!doctype html><script type="module" src="/bench.js"></script>')
    if (pathname === '/bench.js') return send('text/javascript', benchSource(basename(file), replies))
    const requestedFile = resolve(dirname(file), pathname.replace(/^\/module\//, ''))
    if (!requestedFile.startsWith(dirname(file)) || !existsSync(requestedFile))
      return response.writeHead(404).end()
    send(requestedFile.endsWith('.css') ? 'text/css' : 'text/javascript', readFileSync(requestedFile))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const profile = mkdtempSync(join(tmpdir(), 'svc-browser-'))
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const flags = ['--no-sandbox', '--disable-gpu', '--headless', `--user-data-dir=${profile}`]
    const child = spawn(browser, [...flags, '--virtual-time-budget=10000', '--dump-dom', url], {
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: LIMIT_MS,
    })
    const page = await text(child.stdout)
    const outcome = /<html[^>]* data-outcome="([^"]*)"/.exec(page)?.[1]
    return outcome === undefined ? 'the page did not end within its time' : decodeURIComponent(outcome)
  } finally {
    server.close()
    server.closeAllConnections()
    rmSync(profile, { recursive: true, force: true, maxRetries: 20 })
  }
}

/** The script of the page: it reports an outcome as an attribute of the page, which the module does not touch. */
const benchSource = (file: string, replies: Readonly<Record<string, unknown>>) => `
const report = (outcome) => { document.documentElement.dataset.outcome ??= encodeURIComponent(outcome) }
addEventListener('error', ({ message }) => report('an error that nobody caught: ' + message))
addEventListener('unhandledrejection', ({ reason }) => report('a rejection that nobody caught: ' + reason))
const replies = ${JSON.stringify(replies)}
const pause = () => new Promise((resolve) => setTimeout(resolve, 200))
const context = {
  client: new Proxy({}, { get: () => () => Promise.resolve({ data: null }) }),
  request: async (method, path) => replies[method + ' ' + path] ?? null,
  locale: 'en', theme: 'light', agent_id: 'agent', thread_id: 'thread', message_id: 'message', text: 'Some words.',
  toast() {}, insert() {},
}
try {
  const { default: mount } = await import('/module/${encodeURIComponent(file)}')
  if (typeof mount !== 'function') throw new Error('the default export is not a function, but ' + typeof mount)
  const element = document.body.appendChild(document.createElement('div'))
  const mounted = mount(element, context)
  if (typeof mounted?.unmount !== 'function') throw new Error('mount returned no function unmount')
  await pause()
  if (element.childNodes.length === 0) throw new Error('mount put nothing into its element')
  mounted.update?.({ ...context, locale: 'zh', theme: 'dark' })
  await pause()
  mounted.unmount()
  await pause()
  if (element.childNodes.length > 0) throw new Error('unmount left ' + element.childNodes.length + ' nodes in its element')
  report('shown')
} catch (error) {
  report(String(error))
}
`
