import { createHash, randomBytes } from 'node:crypto'
import type { Locale } from '#plugin-api'
import { FOCUS_SECONDS, type Focus } from './focus.ts'
import type { Cradle } from './manifest.ts'
import type { Fact, Notices } from './notices.ts'
import type { Notification, Notifications } from './notifications.ts'
import { say } from './phrases.ts'
import type { Sender, SendOutcome } from './sender.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { NoticeDocument, SubscriptionDocument } from './types.ts'

/** The pauses before a notice is sent again that a push service did not take, in milliseconds. */
const RETRY_MS = [5_000, 20_000, 80_000, 320_000]
/** The time for which push services keep what tells of an end, in seconds. */
const KEEP_SECONDS = 86_400
const TEST_SECONDS = 300
const TOKEN_BYTES = 32
/** The most notices that one look attempts. */
const MAX_DUE = 200
/** The most paused turns that one look reads. */
const MAX_PAUSED = 10_000

/** Returns the form in which a token is stored. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url')

interface Services {
  focus: Focus
  notices: Notices
  notifications: Notifications
  sender: Sender
  subscriptions: Subscriptions
}

/** Delivers notices to the devices of their accounts. */
export type Delivery = ReturnType<typeof createDelivery>

/** Creates the delivery. */
export function createDelivery({
  chat,
  clock,
  focus,
  log,
  notices,
  notifications,
  sender,
  sessions,
  subscriptions,
  threads,
  users,
}: Pick<Cradle, 'chat' | 'clock' | 'log' | 'sessions' | 'threads' | 'users'> & Services) {
  const pending = new Set<Promise<void>>()

  /** Lists the devices of an account; those whose sessions have ended are removed. */
  const listDevices = async (user_id: string): Promise<SubscriptionDocument[]> => {
    const devices = await subscriptions.list(user_id)
    const live = await sessions.listExpiries(devices.map(({ session_id }) => session_id))
    const liveIds = new Set(live.map(({ _id }) => _id))
    const isLive = ({ session_id }: SubscriptionDocument) => liveIds.has(session_id)
    for (const { _id, session_id } of devices.filter((device) => !isLive(device)))
      await subscriptions.remove({ _id, user_id, session_id })
    return devices.filter(isLive)
  }

  /** Sends a notice to one device, unless the device has received it. */
  const sendOnce = async (
    { _id }: NoticeDocument,
    device: SubscriptionDocument,
    notification: Notification,
  ): Promise<SendOutcome> => {
    const token = notification.actions && randomBytes(TOKEN_BYTES).toString('base64url')
    // Before it is sent: another server, or this one after a crash, must not send it again.
    if (!(await notices.claimDevice(_id, device._id, token && hashToken(token)))) return 'sent'
    const ttl_seconds = notification.actions ? chat.approval_seconds : KEEP_SECONDS
    const outcome = await sender.send(device, { ...notification, ...(token && { token }) }, ttl_seconds)
    if (outcome === 'retry') await notices.releaseDevice(_id, device._id)
    return outcome
  }

  /** Attempts a notice; resolves with when it has to be attempted again, or null, and whether that is a failure. */
  const attempt = async (notice: NoticeDocument): Promise<{ due_at: number | null; isFailure?: boolean }> => {
    const { user_id, kind, attempts, sent_to } = notice
    const user = await users.find(user_id)
    if (!user?.enabled) return { due_at: null }
    // An approval may still wait when nobody looks any more.
    if (await focus.has(user_id))
      return { due_at: kind === 'approval' ? clock.now() + FOCUS_SECONDS * 1000 : null }
    const devices = (await listDevices(user_id)).filter(({ _id }) => !sent_to.includes(_id))
    const outcomes = await Promise.all(
      devices.map(async (device) => {
        const notification = await notifications.describe(notice, user.locale ?? device.locale)
        return notification && sendOnce(notice, device, notification)
      }),
    )
    const pause = RETRY_MS[attempts]
    if (!outcomes.includes('retry') || pause === undefined) return { due_at: null }
    return { due_at: clock.now() + pause, isFailure: true }
  }

  const deliver = async (id: string): Promise<void> => {
    const notice = await notices.take(id)
    if (!notice) return
    const { due_at, ...failure } = await attempt(notice)
    await notices.release(id, due_at, failure)
  }

  /** Delivers in the background; a notice that fails is due again once its lease has ended. */
  const begin = (id: string): Promise<void> => {
    const delivered = deliver(id)
      .catch((error) => log.error({ error, notice: id }, 'a notification could not be delivered'))
      .finally(() => pending.delete(delivered))
    pending.add(delivered)
    return delivered
  }

  return {
    /** Stores a fact and has it told, if the account has devices. */
    async tell(fact: Fact): Promise<void> {
      if (!(await subscriptions.exist(fact.user_id))) return
      const id = await notices.add(fact)
      if (id !== undefined) void begin(id)
    },

    /** Stores approvals that nobody was notified of, because their server died, and attempts what is due. */
    async catchUp(): Promise<void> {
      const accounts = await subscriptions.listAccounts()
      const paused = accounts.length === 0 ? [] : await threads.listPaused(accounts, MAX_PAUSED)
      const idOf = (thread: (typeof paused)[number]) => thread.active_turn!.paused!.pending_id
      const stored = await notices.listStored('approval', paused.map(idOf))
      for (const thread of paused.filter((thread) => !stored.has(idOf(thread)))) {
        const { _id: thread_id, user_id, agent_id } = thread
        await notices.add({ kind: 'approval', user_id, agent_id, thread_id, subject_id: idOf(thread) })
      }
      await Promise.all((await notices.listDue(MAX_DUE)).map(begin))
    },

    /** Sends a notification to every device of an account; counts the results. */
    async test({ id: user_id, locale }: { id: string; locale: Locale | null }) {
      const devices = await listDevices(user_id)
      const outcomes = await Promise.all(
        devices.map((device) => {
          const lang = locale ?? device.locale
          const text = { title: say('test', lang), body: say('test_about', lang) }
          return sender.send(device, { ...text, path: '/account', tag: 'test', lang }, TEST_SECONDS)
        }),
      )
      const countOf = (...counted: SendOutcome[]) =>
        outcomes.filter((outcome) => counted.includes(outcome)).length
      return { sent: countOf('sent'), ended: countOf('ended'), failed: countOf('retry', 'refused') }
    },

    /** Resolves when nothing is being delivered by this process. */
    async idle(): Promise<void> {
      while (pending.size > 0) await Promise.all(pending)
    },
  }
}
