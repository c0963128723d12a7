import { client } from '../server/client.ts'
import { send } from '../server/send.ts'
import { readSession } from '../session/token.ts'

/** Dispatched at the window when this browser has been subscribed. */
export const SUBSCRIBED = 'svc:subscribed'

/** The account that has switched notifications on in this browser; see `leaveSession`. */
const KEY = 'svc.push'

/**
 * The state of notifications in this browser: `insecure` without HTTPS, `needs_install` on iPhones and iPads outside of an
 * installed app, `blocked` after a refusal.
 */
export type DeviceState = 'unsupported' | 'insecure' | 'needs_install' | 'blocked' | 'off' | 'on'

/** Reads the subscription of this browser; undefined if it has none, or cannot have one. */
export async function readSubscription(): Promise<PushSubscription | undefined> {
  const registration = await navigator.serviceWorker?.getRegistration()
  return (await registration?.pushManager?.getSubscription()) ?? undefined
}

/** Reads the state of this browser, whose subscription is on if the account has it. */
export async function readDeviceState(endpoints: readonly string[]): Promise<DeviceState> {
  if (!isSecureContext) return 'insecure'
  // Only Safari on iPhones and iPads has the property.
  if ('standalone' in navigator && !navigator.standalone) return 'needs_install'
  if (!('serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis))
    return 'unsupported'
  if (Notification.permission === 'denied') return 'blocked'
  const subscription = await readSubscription()
  return subscription && endpoints.includes(subscription.endpoint) ? 'on' : 'off'
}

/** Asks for the permission and subscribes this browser. Resolves without effect if the permission is not given. */
export async function subscribe(public_key: string): Promise<void> {
  // First, since browsers ask only right after a press.
  if ((await Notification.requestPermission()) !== 'granted') return
  const { pushManager } = await navigator.serviceWorker.ready
  // One of another installation has another key, and cannot be used.
  await (await pushManager.getSubscription())?.unsubscribe()
  const subscription = await pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: public_key,
  })
  await register(subscription)
  localStorage.setItem(KEY, readSession()?.user.id ?? '')
  dispatchEvent(new Event(SUBSCRIBED))
}

/** Ends the subscription of this browser, and its entry at the account. */
export async function unsubscribe(): Promise<void> {
  localStorage.removeItem(KEY)
  const subscription = await readSubscription()
  if (!subscription) return
  await subscription.unsubscribe()
  await removeDevice(subscription.endpoint)
}

/** Removes a device of the account. */
export const removeDevice = (endpoint: string) => send(client.DELETE('/auth/me/push', { body: { endpoint } }))

/** Binds the subscription of this browser to the present session, if this account has switched it on here. */
export async function renewSubscription(): Promise<void> {
  if (localStorage.getItem(KEY) !== readSession()?.user.id) return
  const subscription = await readSubscription()
  if (subscription && Notification.permission === 'granted') await register(subscription)
}

function register(subscription: PushSubscription): Promise<unknown> {
  const { endpoint, keys } = subscription.toJSON()
  const { p256dh, auth } = keys as { p256dh: string; auth: string }
  return send(
    client.POST('/auth/me/push', { body: { subscription: { endpoint: endpoint!, keys: { p256dh, auth } } } }),
  )
}
