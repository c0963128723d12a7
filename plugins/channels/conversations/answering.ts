import { setTimeout as pause } from 'node:timers/promises'
import { AppError, isUnavailable } from '#kernel'
import type { Session } from '../connections/session.ts'
import type { InboxDocument } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import { failureOf } from '../writing/failure.ts'
import { answerMessage } from './answer.ts'
import { type ChatCommand, parseCommand } from './commands.ts'
import { createDelivery } from './delivery.ts'
import type { Lane } from './inbox.ts'
import { say } from './phrases.ts'

/** How long after a failure a message is tried again, in milliseconds, and how often before it is given up. */
const RETRY_MS = 5000
const MOST_FAILURES = 5

/** Answers what has come into the inbox: one message after the other in a conversation, conversations side by side. */
export interface MessageAnswering {
  /** Sees to it that all is being answered that waits in these channels. */
  attend(sessions: readonly Session[]): Promise<void>
  /** The same for one line, at once. */
  wake(session: Session, lane: Lane): void
  /** Resolves when nothing of a channel that is being closed is worked on any more. */
  leave(channel_id: string): Promise<void>
}

/** Makes what answers messages. */
export function createMessageAnswering(cradle: Cradle): MessageAnswering {
  const { messageInbox, agents, users, orders, approvals, explainError, log } = cradle
  const lines = new Map<string, { session: Session; done: Promise<void>; isWoken: boolean }>()
  const failures = new Map<string, number>()

  const nameOf = ({ channel_id, conversation_id, urgent }: Lane) =>
    `${channel_id} ${urgent ? 'urgent' : 'ordered'} ${conversation_id}`

  const ownerOf = async ({ channel }: Session) => {
    const agent = await agents.find(channel.agent_id)
    return agent ? await users.find(agent.owner_id) : null
  }

  /** What a message orders or decides; what it was about to decide may have been decided meanwhile. */
  const commandIn = async (message: InboxDocument): Promise<ChatCommand | undefined> => {
    const { channel_id, conversation_id, sender, text = '', urgent } = message
    const command = parseCommand(text)
    if (command || !urgent) return command
    const waiting = await approvals.waiting(channel_id, conversation_id)
    return orders.decisionIn(text, waiting, sender) ?? { name: 'answer', rest: text }
  }

  /** Answers one message. */
  const answer = async (message: InboxDocument, session: Session) => {
    const owner = await ownerOf(session)
    if (!owner) return
    const locale = owner.locale ?? 'en'
    const { target } = messageInbox.unseal(message)
    const delivery = createDelivery(message, target, session)
    if (!owner.enabled) {
      const { message: words } = explainError(new AppError('USER_DISABLED'), locale, message._id)
      await delivery.say('refusal', words)
      return
    }
    if (message.refused) {
      await delivery.say('refusal', say('too_many', locale))
      return
    }
    const command = await commandIn(message)
    if (command) {
      const { conversation_id, sender } = message
      const order = { channel: session.channel, conversation_id, sender, user_id: owner._id, locale }
      const words = await orders.run(order, command)
      if (words !== '') await delivery.say('order', words)
      return
    }
    await answerMessage({ message, session, delivery, owner, locale }, cradle)
  }

  /** Whether there is no use in trying again to answer a message. */
  const isGivenUp = (error: unknown, { _id }: InboxDocument, { log, channel }: Session): boolean => {
    // The thread was removed meanwhile, and the message with it.
    if (error instanceof AppError && error.code === 'THREAD_NOT_FOUND') return true
    if (isUnavailable(error)) return false
    const { reason, detail } = failureOf(error)
    if (reason !== 'unknown') {
      log.warn({ reason, detail, channel: channel._id }, 'the platform does not take an answer')
      return true
    }
    const count = (failures.get(_id) ?? 0) + 1
    failures.set(_id, count)
    log.error({ error, message: _id, count }, 'message not answered')
    return count >= MOST_FAILURES
  }

  /** Answers a message for good; false where it is to be tried again. */
  const attempt = async (message: InboxDocument, session: Session): Promise<boolean> => {
    try {
      await answer(message, session)
    } catch (error) {
      if (session.signal.aborted || !isGivenUp(error, message, session)) return false
    }
    failures.delete(message._id)
    if (!message.urgent) await approvals.forget(message.channel_id, message.conversation_id)
    await messageInbox.close(message)
    return true
  }

  const work = async (lane: Lane, session: Session, line: { isWoken: boolean }) => {
    const { signal } = session
    while (!signal.aborted) {
      line.isWoken = false
      try {
        const message = await messageInbox.next(lane)
        if (!message) {
          if (line.isWoken) continue
          return
        }
        if (await attempt(message, session)) continue
      } catch (error) {
        if (!isUnavailable(error)) log.error({ error, channel: lane.channel_id }, 'inbox not read')
      }
      // It fails only by being aborted, which ends the loop.
      await pause(RETRY_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  const wake: MessageAnswering['wake'] = (session, lane) => {
    const name = nameOf(lane)
    const line = lines.get(name)
    if (line) {
      line.isWoken = true
      return
    }
    if (session.signal.aborted) return
    const begun = { session, isWoken: false, done: Promise.resolve() }
    lines.set(name, begun)
    begun.done = work(lane, session, begun).finally(() => lines.delete(name))
  }

  return {
    wake,
    async attend(sessions) {
      const byChannel = new Map(sessions.map((session) => [session.channel._id, session]))
      for (const lane of await messageInbox.listLanes([...byChannel.keys()]))
        wake(byChannel.get(lane.channel_id)!, lane)
    },
    async leave(channel_id) {
      const theirs = [...lines.values()].filter(({ session }) => session.channel._id === channel_id)
      await Promise.all(theirs.map(({ done }) => done))
    },
  }
}
