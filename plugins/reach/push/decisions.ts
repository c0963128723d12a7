import { AppError, type Locale, type TypeOf } from '#plugin-api'
import type { Decision, PendingApproval } from '../../conversations/chat/ledger/ledger-event.ts'
import type { Account } from '../../identity/users/types.ts'
import { hashToken } from './delivery.ts'
import type { Cradle } from './manifest.ts'
import type { Notices } from './notices.ts'
import { type Notifications, pathOf } from './notifications.ts'
import { say } from './phrases.ts'
import type { decidedNotification, pushDecision } from './schemas.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { NoticeDocument } from './types.ts'

type Decided = TypeOf<typeof decidedNotification>

const DECISIONS: Record<'approve' | 'deny', Decision> = {
  approve: { type: 'approve' },
  deny: { type: 'reject' },
}

/** Decides approvals by the tokens of notifications. */
export type Decisions = ReturnType<typeof createDecisions>

/** Creates the decisions. A token decides one approval once, while the device that received it is signed in. */
export function createDecisions({
  agents,
  chat,
  clock,
  notices,
  notifications,
  sessions,
  subscriptions,
  threads,
  users,
}: Pick<Cradle, 'agents' | 'chat' | 'clock' | 'sessions' | 'threads' | 'users'> & {
  notices: Notices
  notifications: Notifications
  subscriptions: Subscriptions
}) {
  /** Finds the notice of a token and its account. Throws PUSH_TOKEN_INVALID. */
  const find = async (hash: string): Promise<{ notice: NoticeDocument; user: Account; lang: Locale }> => {
    const match = await notices.findByToken(hash)
    const user = match && (await users.find(match.notice.user_id))
    const device = user && (await subscriptions.find(user._id, match.subscription_id))
    const session = device && (await sessions.find(device.session_id))
    const isSignedIn = session?.ended_at === null && session.expires_at > clock.seconds()
    if (!user?.enabled || user.must_change_password || !device || !isSignedIn)
      throw new AppError('PUSH_TOKEN_INVALID')
    return { notice: match.notice, user, lang: user.locale ?? device.locale }
  }

  const findAgent = ({ _id: id, role, group_ids: groups }: Account, { agent_id }: NoticeDocument) =>
    agents.findVisible({ id, role, groups }, agent_id)

  /** Reads the approval if it still waits and the notification offers this decision; null otherwise. */
  const findPending = async (notice: NoticeDocument, decision: 'approve' | 'deny', lang: Locale) => {
    const notification = await notifications.describe(notice, lang)
    if (!notification) return null
    if (!notification.actions?.some(({ action }) => action === decision))
      throw new AppError('PUSH_TOKEN_INVALID')
    const thread = await threads.get(notice, notice.thread_id)
    const pending = await chat.readPending(thread)
    return pending && { thread, pending }
  }

  const decideAll = ({ action_requests }: PendingApproval, decision: 'approve' | 'deny') =>
    action_requests.map(() => DECISIONS[decision])

  return {
    /**
     * Decides the approval of a token. Resolves with the words for the person, also if the approval was decided already.
     * Throws PUSH_TOKEN_INVALID and AGENT_NOT_FOUND.
     */
    async decide(
      { token, decision }: TypeOf<typeof pushDecision>,
      identify: (username: string) => void,
    ): Promise<Decided> {
      const hash = hashToken(token)
      const { notice, user, lang } = await find(hash)
      identify(user.username)
      const { name: agent, state } = await findAgent(user, notice)
      const tell = (title: Parameters<typeof say>[0], body: Parameters<typeof say>[0]): Decided => ({
        title: say(title, lang, { agent }),
        body: say(body, lang, { agent }),
        path: pathOf(notice),
      })
      const waiting = await findPending(notice, decision, lang)
      if (!waiting) return tell('decided', 'decided_about')
      if (state !== 'running') return tell('not_running', 'not_running_about')
      if (!(await notices.endTokens(notice._id, hash))) return tell('decided', 'decided_about')
      try {
        await chat.decide(waiting.thread, waiting.pending, decideAll(waiting.pending, decision))
      } catch (error) {
        // Another decision was first.
        if (!(error instanceof AppError) || error.code !== 'HITL_NOT_PENDING') throw error
        return tell('decided', 'decided_about')
      }
      return tell(decision === 'approve' ? 'approved' : 'denied', 'continues')
    },
  }
}
