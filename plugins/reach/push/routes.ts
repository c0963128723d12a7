import type { Route } from '#plugin-api'
import { FOCUS_SECONDS } from './focus.ts'
import { type Cradle, route } from './manifest.ts'
import {
  decidedNotification,
  endedSubscription,
  focusReply,
  newSubscription,
  ownPush,
  pageFocus,
  pushDecision,
  sentTest,
} from './schemas.ts'

const ABOUT =
  'Notifications tell of approvals that wait, of finished turns and of finished schedules, while no page of the account has the focus.'

/** The routes of the devices of an account, and of the decisions that their notifications offer. */
export const pushRoutes: Route<Cradle>[] = [
  route({
    method: 'GET',
    path: '/auth/me/push',
    operation_id: 'getPush',
    summary: 'List the devices that receive your notifications',
    description: ABOUT,
    guard: 'user',
    scope: 'session',
    response: { 200: ownPush },
  }).handle(async ({ caller }, { pushKeys, subscriptions }) => {
    const [{ publicKey: public_key }, devices] = await Promise.all([
      pushKeys.read(),
      subscriptions.list(caller.id),
    ])
    const rows = devices.map(({ endpoint, user_agent, created_at, last_sent_at }) => {
      return { endpoint, user_agent, created_at, last_sent_at }
    })
    return { public_key, subscriptions: rows }
  }),

  route({
    method: 'POST',
    path: '/auth/me/push',
    operation_id: 'addPushSubscription',
    summary: 'Receive notifications on a device',
    description:
      'Takes the subscription of a browser as `PushSubscription.toJSON()` returns it, made with the `public_key`. Sent again, it belongs to the account and the session of the last request. It ends with that session.',
    guard: 'user',
    scope: 'session',
    body: newSubscription,
    response: { 204: null },
    errors: ['LIMIT_REACHED'],
    audit: 'push.subscribe',
  }).handle(async ({ caller, body, headers, locale }, { subscriptions }) => {
    const user_agent = headers['user-agent']?.toString() ?? null
    const subscriber = { user_id: caller.id, session_id: caller.session_id, user_agent, locale }
    await subscriptions.add(subscriber, body.subscription)
  }),

  route({
    method: 'DELETE',
    path: '/auth/me/push',
    operation_id: 'removePushSubscription',
    summary: 'Receive no more notifications on a device',
    description: 'Removes any device of the account; one that is not in the list is no error.',
    guard: 'user',
    scope: 'session',
    body: endedSubscription,
    response: { 204: null },
    audit: 'push.unsubscribe',
  }).handle(async ({ caller, body }, { subscriptions }) => {
    // A device that is not in the list receives nothing, as asked.
    await subscriptions.remove({ user_id: caller.id, endpoint: body.endpoint })
  }),

  route({
    method: 'POST',
    path: '/auth/me/push/test',
    operation_id: 'testPush',
    summary: 'Send a notification to your devices',
    description: 'Sends it at once to all of them, whether or not a page has the focus.',
    guard: 'user',
    scope: 'session',
    response: { 200: sentTest },
    audit: 'push.test',
  }).handle(({ caller }, { delivery }) => delivery.test(caller)),

  route({
    method: 'POST',
    path: '/auth/me/push/focus',
    operation_id: 'notePageFocus',
    summary: 'Say whether a page has the focus',
    description:
      'While a page of the account has the focus, no notification is sent. A page that falls silent counts as gone soon.',
    guard: 'user',
    scope: 'session',
    body: pageFocus,
    response: { 200: focusReply },
    audit: { none: 'It changes nothing that anybody decided.' },
  }).handle(async ({ caller, body: { page, has_focus } }, { focus, subscriptions }) => {
    if (!has_focus) await focus.drop(caller.id, page)
    else if (await subscriptions.exist(caller.id)) {
      await focus.note(caller.id, page)
      return { again_seconds: FOCUS_SECONDS }
    }
    return { again_seconds: null }
  }),

  route({
    method: 'POST',
    path: '/push/decisions',
    operation_id: 'decideFromNotification',
    summary: 'Decide the approval of a notification',
    description:
      'The token of the notification is all that it takes. It decides this approval once, as long as the turn waits and the device is signed in, and opens nothing else.',
    guard: 'public',
    body: pushDecision,
    response: { 200: decidedNotification },
    errors: ['PUSH_TOKEN_INVALID', 'AGENT_NOT_FOUND'],
    audit: 'thread.decide',
  }).handle(({ body, identify }, { decisions }) => decisions.decide(body, identify)),
]
