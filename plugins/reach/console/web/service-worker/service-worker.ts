// Shows the notifications of the server, and keeps the code of the console, whose files never change under their names.
// It answers nothing else: pages and replies of the API always come from the server.

/** Identifies the build; Vite sets it. */
declare const BUILD: string

const worker = self as unknown as ServiceWorkerGlobalScope

const CACHE_PREFIX = 'svc-assets-'
/** Pages that were opened before an upgrade still load files of the build before. */
const KEPT_BUILDS = 2

/** The payload of a push message; see `notifications.ts` of the plugin `push`. */
interface PushPayload {
  title: string
  body: string
  path: string
  tag: string
  lang: string
  actions?: { action: 'approve' | 'deny'; title: string }[]
  token?: string
  not_sent?: string
}

type Shown = Pick<PushPayload, 'title' | 'body' | 'path' | 'tag' | 'lang'>

const addressOf = (path: string) => new URL(path.replace(/^\//, ''), worker.registration.scope).href
const assets = () => addressOf('assets/')
const cacheName = `${CACHE_PREFIX}${BUILD}`

worker.addEventListener('install', () => void worker.skipWaiting())

worker.addEventListener('activate', (event) => event.waitUntil(removeOldBuilds()))

async function removeOldBuilds(): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.startsWith(CACHE_PREFIX) && name !== cacheName)
  await Promise.all(names.slice(0, -(KEPT_BUILDS - 1)).map((name) => caches.delete(name)))
}

worker.addEventListener('fetch', (event) => {
  const { request } = event
  if (request.method === 'GET' && request.url.startsWith(assets()) && !request.headers.has('range'))
    event.respondWith(readAsset(request))
})

async function readAsset(request: Request): Promise<Response> {
  const cached = await caches.match(request)
  if (cached) return cached
  const response = await fetch(request)
  if (response.status === 200) {
    const cache = await caches.open(cacheName)
    // A full disk must not keep the page from loading.
    await cache.put(request, response.clone()).catch(() => undefined)
  }
  return response
}

worker.addEventListener('push', (event) => {
  if (event.data) event.waitUntil(show(event.data.json() as PushPayload))
})

function show({ title, body, path, tag, lang, ...decision }: Shown & Partial<PushPayload>): Promise<void> {
  const { actions = [], token, not_sent } = decision
  // `actions` and `renotify` are not in the types, since not every browser has them.
  const options: NotificationOptions & { actions: object[]; renotify: boolean } = {
    body,
    tag,
    lang,
    actions,
    renotify: true,
    requireInteraction: actions.length > 0,
    icon: addressOf('icon-192.png'),
    badge: addressOf('badge.png'),
    data: { path, token, not_sent },
  }
  return worker.registration.showNotification(title, options)
}

worker.addEventListener('notificationclick', (event) => {
  const { notification, action } = event
  notification.close()
  const { path, token } = notification.data as Pick<PushPayload, 'path' | 'token'>
  event.waitUntil(token && action ? decide(notification, action) : open(path))
})

/** Sends the decision of a button, and shows what has become of it. */
async function decide({ title, tag, lang, data }: globalThis.Notification, decision: string): Promise<void> {
  const { path, token, not_sent } = data as Pick<PushPayload, 'path' | 'token' | 'not_sent'>
  const failed = { title, body: not_sent ?? '', path, tag, lang }
  try {
    const response = await fetch(addressOf('api/push/decisions'), {
      method: 'POST',
      credentials: 'omit',
      headers: { 'content-type': 'application/json', 'accept-language': lang },
      body: JSON.stringify({ token, decision }),
    })
    const answer = await response.json()
    await show(
      response.ok ? { ...failed, ...answer } : { ...failed, body: answer.error?.message ?? failed.body },
    )
  } catch {
    await show(failed)
  }
}

/** Shows the page of a notification: in a window of the console, if there is one. */
async function open(path: string): Promise<void> {
  const windows = await worker.clients.matchAll({ type: 'window' })
  const [best] = windows.toSorted((a, b) => Number(b.focused) - Number(a.focused))
  if (!best) return void (await worker.clients.openWindow(addressOf(path)))
  // The system may not let it come to the front.
  await best.focus().catch(() => undefined)
  best.postMessage({ type: 'open', path })
}
