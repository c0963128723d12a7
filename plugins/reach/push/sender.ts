import type { BoundedFetch } from '#plugin-api'
import type { PushKeys } from './keys.ts'
import { loadWebPush } from './library.ts'
import type { Cradle } from './manifest.ts'
import type { Notification } from './notifications.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { SubscriptionDocument } from './types.ts'

/** The most bytes that are read of a push service's answer, which nobody needs. */
const MAX_ANSWER = 16_384
const TIMEOUT_MS = 10_000
/** The contact of a server without a public address; push services require one. */
const NO_CONTACT = 'mailto:nobody@localhost'

/** The result of sending: the push service has taken the message, may take it later, or never. */
export type SendOutcome = 'sent' | 'ended' | 'retry' | 'refused'

/** Sends notifications to push services. */
export type Sender = ReturnType<typeof createSender>

/** Creates the sender; `fetch` reaches no private addresses. */
export function createSender(
  {
    config,
    log,
    pushKeys,
    server,
    subscriptions,
  }: Pick<Cradle, 'config' | 'log' | 'server'> & { pushKeys: PushKeys; subscriptions: Subscriptions },
  fetch: BoundedFetch,
) {
  const subject =
    config.contact ?? (server.public_url?.startsWith('https://') ? server.public_url : NO_CONTACT)

  const post = async (
    subscription: SubscriptionDocument,
    notification: Notification,
    ttl_seconds: number,
  ): Promise<SendOutcome> => {
    const { generateRequestDetails } = await loadWebPush()
    const { endpoint, headers, body } = generateRequestDetails(
      subscriptions.open(subscription),
      JSON.stringify(notification),
      {
        vapidDetails: { subject, ...(await pushKeys.read()) },
        TTL: ttl_seconds,
        urgency: notification.actions ? 'high' : 'normal',
      },
    )
    const { 'Content-Length': _, ...others } = headers
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value)])),
      body: new Uint8Array(body!),
      redirect: 'error',
      max_bytes: MAX_ANSWER,
      timeout_ms: TIMEOUT_MS,
    })
    const answer = await response.text()
    if (response.ok) return 'sent'
    if (response.status === 404 || response.status === 410) return 'ended'
    const { status } = response
    log.warn(
      { status, host: new URL(endpoint).host, answer: answer.slice(0, 300) },
      'a push service refused a notification',
    )
    return status === 429 || status >= 500 ? 'retry' : 'refused'
  }

  return {
    /** Sends a notification, which the push service keeps for `ttl_seconds`; removes a subscription that has ended. */
    async send(
      subscription: SubscriptionDocument,
      notification: Notification,
      ttl_seconds: number,
    ): Promise<SendOutcome> {
      const { _id, user_id, endpoint } = subscription
      try {
        const outcome = await post(subscription, notification, ttl_seconds)
        if (outcome === 'sent') await subscriptions.noteSent(_id)
        if (outcome === 'ended') await subscriptions.remove({ _id, user_id })
        return outcome
      } catch (error) {
        log.warn({ error, host: new URL(endpoint).host }, 'a notification could not be sent')
        return 'retry'
      }
    },
  }
}
