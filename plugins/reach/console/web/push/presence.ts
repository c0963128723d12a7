import { router } from '../routes.tsx'
import { client } from '../server/client.ts'
import { readFacts } from '../server/facts.ts'
import { renewSubscription, SUBSCRIBED } from './device.ts'

/** The pause after which a page asks again if the account has devices by now, in milliseconds. */
const IDLE_MS = 300_000

const page =
  crypto.randomUUID?.() ??
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(36)).join('')

/** Installs the service worker, opens what notifications lead to, and says while the page has the focus. */
export async function startPresence(): Promise<void> {
  if ('serviceWorker' in navigator && isSecureContext) {
    navigator.serviceWorker.addEventListener('message', ({ data }) => {
      if (data?.type === 'open') void router.navigate({ href: data.path })
    })
    await navigator.serviceWorker.register('/sw.js').catch(() => undefined)
  }
  const { features } = await readFacts()
  if (!features.push) return
  followFocus()
  await renewSubscription()
}

/** Tells the server whenever the page receives or loses the focus, and again while it has it. */
function followFocus(): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isTold: boolean | undefined
  const tell = async (has_focus: boolean, isLast = false) => {
    clearTimeout(timer)
    isTold = has_focus
    // A page that is being closed has no time for more.
    const init = { body: { page, has_focus }, keepalive: isLast }
    const reply = await client.POST('/auth/me/push/focus', init).catch(() => undefined)
    if (isTold !== has_focus || !has_focus) return
    const seconds = reply?.data?.again_seconds
    timer = setTimeout(look, seconds ? seconds * 1000 : IDLE_MS, true)
  }
  const look = (isDue = false) => {
    const has_focus = document.hasFocus() && !document.hidden
    if (has_focus !== (isTold ?? false) || (isDue && has_focus)) void tell(has_focus)
  }
  for (const event of ['focus', 'blur'] as const) addEventListener(event, () => look())
  document.addEventListener('visibilitychange', () => look())
  addEventListener('pagehide', () => {
    if (isTold) void tell(false, true)
  })
  addEventListener('pageshow', () => look())
  addEventListener(SUBSCRIBED, () => look(true))
  look()
}
