import type { Page, Worker } from 'playwright-core'
import { eventually } from '../../plugin-api/testing/waiting.ts'
import { punch, startPress } from '../plugins/conversations/approval-calls.ts'
import t from '../run/file-test.ts'
import { ALL_RULES, findBarriers } from '../support/axe.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'
import { type FakeSubscription, startFakePush } from '../support/fake-push.ts'

// biome-ignore lint/suspicious/noExplicitAny: its members are known to browsers only
type BrowserGlobal = any

/** Replaces what headless browsers lack: permissions, and a push service, whose subscription is that of the fake one. */
function standIn(subscription: FakeSubscription): void {
  const { PushManager, Notification, localStorage, atob } = globalThis as BrowserGlobal
  const own = {
    endpoint: subscription.endpoint,
    toJSON: () => ({ ...subscription, expirationTime: null }),
    unsubscribe: async () => {
      localStorage.removeItem('test.subscribed')
      return true
    },
  }
  PushManager.prototype.getSubscription = async () => (localStorage.getItem('test.subscribed') ? own : null)
  PushManager.prototype.subscribe = async ({ applicationServerKey }: { applicationServerKey: string }) => {
    if (atob(applicationServerKey.replace(/-/g, '+').replace(/_/g, '/')).length !== 65)
      throw new TypeError('not the key of a server')
    localStorage.setItem('test.subscribed', 'yes')
    return own
  }
  const readPermission = () => localStorage.getItem('test.permission') ?? 'default'
  Object.defineProperty(Notification, 'permission', { get: readPermission })
  Notification.requestPermission = async () => {
    if (readPermission() === 'default') localStorage.setItem('test.permission', 'granted')
    return readPermission()
  }
}

/** Replaces the display of notifications by the system, in the service worker. */
const showHere = (worker: Worker): Promise<void> =>
  worker.evaluate(() => {
    const { registration } = globalThis as BrowserGlobal
    const shown = new Map<string, object>()
    registration.getNotifications = async () => [...shown.values()]
    registration.showNotification = async (title: string, options: { tag: string }) => {
      shown.set(options.tag, { title, ...options, close: () => shown.delete(options.tag) })
    }
  })

/** Delivers a push message to the service worker, as the browser does that has received it. */
async function deliver(page: Page, payload: object): Promise<void> {
  const session = await page.context().newCDPSession(page)
  let registrationId: string | undefined
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    registrationId = registrations.find(({ isDeleted }) => !isDeleted)?.registrationId ?? registrationId
  })
  await session.send('ServiceWorker.enable')
  await eventually('the registration', async () => registrationId)
  const { origin } = new URL(page.url())
  const data = JSON.stringify(payload)
  await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId: registrationId!, data })
  await session.detach()
}

/** Lists the notifications that are shown. */
const listShown = (
  worker: Worker,
): Promise<{ title: string; body: string; tag: string; buttons: string }[]> =>
  worker.evaluate(async () => {
    const shown = await (globalThis as BrowserGlobal).registration.getNotifications()
    return shown.map(({ title, body, tag, actions }: BrowserGlobal) => {
      return { title, body, tag, buttons: actions.map(({ title }: { title: string }) => title).join() }
    })
  })

/** Waits for a notification that fits. */
const see = (worker: Worker, wanted: { title?: string; tag?: string; buttons?: string; body?: RegExp }) =>
  eventually(`the notification ${JSON.stringify(wanted)}`, async () =>
    (await listShown(worker)).find(
      ({ title, tag, buttons, body }) =>
        title === (wanted.title ?? title) &&
        tag === (wanted.tag ?? tag) &&
        buttons === (wanted.buttons ?? buttons) &&
        (wanted.body?.test(body) ?? true),
    ),
  )

/** Presses a notification or one of its buttons; resolves when the service worker has done its work. */
const press = (worker: Worker, tag: string, action = ''): Promise<void> =>
  worker.evaluate(
    async ({ tag, action }) => {
      const { registration, ExtendableEvent, dispatchEvent } = globalThis as BrowserGlobal
      const shown = await registration.getNotifications()
      const notification = shown.find((one: { tag: string }) => one.tag === tag)
      let done: Promise<unknown> | undefined
      // Events that a script sends cannot be extended.
      const waitUntil = (work: Promise<unknown>) => {
        done = work
      }
      dispatchEvent(
        Object.assign(new ExtendableEvent('notificationclick'), { notification, action, waitUntil }),
      )
      await done
    },
    { tag, action },
  )

t.test('notifications in the console', { skip: noChromium }, async (t) => {
  const push = await startFakePush(t)
  const config = { plugins: { push: { allow_hosts: ['127.0.0.1'] } } }
  const chat = await startPress(t, { config })
  const { server, agent_id } = chat
  const browser = await startChromium(t)
  const url = await serveConsole(t, server)
  const { page, faults } = await openConsole(browser, url)
  const subscription = push.subscribe()
  await page.addInitScript(standIn, subscription)
  const list = async () => (await server.request('GET', '/auth/me/push')).body.subscriptions
  /** Finds the service worker, and has it show its notifications here. */
  const findWorker = async () => {
    const worker = await eventually('the worker', async () => page.context().serviceWorkers()[0])
    await showHere(worker)
    return worker
  }
  const section = page.getByRole('region', { name: 'Notifications' })
  const own = section.getByText('This device', { exact: true })
  const toggle = section.getByRole('switch', { name: 'Notifications on this device' })

  await t.test('the console can be installed', async (t) => {
    const session = await page.context().newCDPSession(page)
    const { errors, data } = await session.send('Page.getAppManifest')
    t.strictSame(errors, [])
    const manifest = JSON.parse(data!)
    t.match(manifest, { display: 'standalone', short_name: 'svc' })
    for (const { src, type, sizes } of manifest.icons) {
      const response = await fetch(`${url}/${src}`)
      t.equal(response.headers.get('content-type'), type)
      const [size] = sizes.split('x')
      if (type === 'image/png')
        t.equal(Buffer.from(await response.arrayBuffer()).readUInt32BE(16), Number(size), src)
    }
    t.ok(manifest.icons.some(({ purpose }: { purpose: string }) => purpose === 'maskable'))
    t.match(
      await fetch(`${url}/manifest.webmanifest`).then(({ headers }) => headers.get('content-type')),
      /json/,
    )
  })

  await t.test('a device is switched on, tested and switched off', async (t) => {
    await page.goto('/account')
    await toggle.waitFor()
    t.notOk(await toggle.isChecked(), 'nothing is asked before')
    t.strictSame(await list(), [])
    await toggle.check({ force: true })
    await own.waitFor()
    t.match(await list(), [{ endpoint: subscription.endpoint }])
    await section.getByRole('button', { name: 'Send a test notification' }).click()
    await section.getByText('Sent to 1 device.').waitFor()
    const { payload } = await push.until(({ payload }) => payload.tag === 'test')
    const worker = await findWorker()
    await deliver(page, payload)
    t.match(await see(worker, { tag: 'test' }), { title: 'Notifications work', buttons: '' })
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await page.reload()
    await own.waitFor()
    t.ok(await toggle.isChecked(), 'and after a reload')
    await toggle.uncheck({ force: true })
    await own.waitFor({ state: 'detached' })
    t.strictSame(await list(), [])
  })

  await t.test('a browser that blocks notifications says how to allow them', async (t) => {
    const setPermission = (permission: string) =>
      page.evaluate(
        (permission) => (globalThis as BrowserGlobal).localStorage.setItem('test.permission', permission),
        permission,
      )
    await setPermission('denied')
    await page.reload()
    await section.getByText('Allow them in the site settings').waitFor()
    t.ok(await toggle.isDisabled())
    await setPermission('granted')
    await page.reload()
    await section.getByText('Your browser asks for permission').waitFor()
  })

  await t.test('an approval is decided by the buttons of its notification', async (t) => {
    await toggle.check({ force: true })
    await own.waitFor()
    await eventually('the focus is stored', async () => server.db.collection('push_pages').countDocuments())
    await page.evaluate(() => {
      const { document, dispatchEvent, Event } = globalThis as BrowserGlobal
      document.hasFocus = () => false
      dispatchEvent(new Event('blur'))
    })
    await eventually(
      'the focus is lost',
      async () => (await server.db.collection('push_pages').countDocuments()) === 0,
    )
    const worker = await findWorker()
    for (const [action, title] of [
      ['approve', 'Approved'],
      ['deny', 'Denied'],
    ] as const) {
      const turn = await chat.pauseTurn([{ toolCalls: [punch('1', `by-${action}`)] }, { text: ['done'] }])
      const tag = turn.pending.pending_id
      const { payload } = await push.until(({ payload }) => payload.tag === tag)
      await deliver(page, payload)
      t.match(await see(worker, { tag }), { body: `Press punch: by-${action}`, buttons: 'Approve,Deny' })
      await press(worker, tag, action)
      await turn.socket.seeTurn(turn.sent)
      t.match(await see(worker, { tag }), { title, body: 'assistant continues.', buttons: '' })
      t.equal(chat.marks().includes(`by-${action}`), action === 'approve')

      // Once more, with the token that is used up.
      await deliver(page, payload)
      await see(worker, { tag, buttons: 'Approve,Deny' })
      await press(worker, tag, action)
      t.match(await see(worker, { tag }), { body: /^This notification can no longer decide/, buttons: '' })
      await press(worker, tag)
      await page.waitForURL(`**/chat/${agent_id}/${turn.thread_id}`)
    }
  })

  await t.test('the service worker keeps files of the page alone', async (t) => {
    await page.goto('/account')
    await toggle.waitFor()
    await page.reload()
    await toggle.waitFor()
    const kept: string[] = await page.evaluate(async () => {
      const { caches } = globalThis as BrowserGlobal
      const names: string[] = await caches.keys()
      const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
      return requests.flat().map(({ url }: { url: string }) => new URL(url).pathname)
    })
    t.ok(kept.length > 3)
    t.strictSame(
      kept.filter((path) => !path.startsWith('/assets/')),
      [],
    )
  })

  await t.test('a page of a former build begins anew instead of failing', async (t) => {
    await page.goto('/')
    const input = page.getByRole('textbox', { name: /Message/ })
    await input.waitFor()
    // As Vite does when a file is missing that a page wants to load.
    const missFile = () =>
      page.evaluate(() => {
        const { dispatchEvent, Event } = globalThis as BrowserGlobal
        dispatchEvent(new Event('vite:preloadError'))
      })
    let loads = 0
    page.on('load', () => {
      loads += 1
    })
    const asked = page.waitForResponse((response) => response.url() === `${url}/`)
    await missFile()
    await (await asked).finished()
    await input.fill('still here')
    t.equal(loads, 0, 'the build is the same')
    await page.route(`${url}/`, (route) =>
      route.request().resourceType() === 'document'
        ? route.continue()
        : route.fulfill({ body: '<script type="module" src="/assets/new.js"></script>' }),
    )
    const reloaded = page.waitForEvent('load')
    await missFile()
    await reloaded
  })

  await t.test('a sign-out ends the notifications of the browser', async (t) => {
    await page.goto('/account')
    await own.waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Username').waitFor()
    t.strictSame(await list(), [])
    t.equal(await page.evaluate(() => (globalThis as BrowserGlobal).localStorage.getItem('svc.push')), null)
  })

  t.strictSame(faults, [])
})
