import { setTimeout as pause } from 'node:timers/promises'
import {
  AppError,
  ChannelFailure,
  type ChannelFailureReason,
  createDeadline,
  isUnavailable,
} from '#plugin-api'
import type { Session } from '../connections/session.ts'
import type { InboxDocument } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import { answerMessage } from './answer.ts'
import { type ChatCommand, parseCommand } from './commands.ts'
import type { ConversationKey } from './conversations.ts'
import { createDelivery } from './delivery.ts'
import type { Lane } from './inbox.ts'
import { say } from './phrases.ts'

/** Pause before a message is tried again that failed for a reason of this server, in milliseconds. */
const RETRY_MS = 5000
/** Time in which the end of an answer is stored once it is delivered, in milliseconds. */
const STORING_MS = 1000
/** Number of such failures that ends the attempts. */
const MOST_FAILURES = 5

/** Refusals that may concern one text and not the whole conversation. */
const TEXT_REFUSALS: readonly ChannelFailureReason[] = ['unknown', 'unsupported']

/** The work on the messages of one lane, until none is left. */
interface Line {
  session: Session
  done: Promise<void>
  isWoken: boolean
  /** The number of failures by message. */
  failures: Map<string, number>
  /** The work on the message that is being answered; missing while there is none. */
  attempt?: Attempt
}

/** The work on one message. */
interface Attempt {
  /** Resolves with true if the message was answered and closed, with false if it must be tried again. */
  done: Promise<boolean>
  /** Ends the work after a time in milliseconds. */
  stop(after_ms: number): void
}

/** Answers the messages of the inbox: one at a time in each conversation, conversations in parallel. */
export type MessageAnswering = ReturnType<typeof createMessageAnswering>

/** Creates the service that answers messages. */
export function createMessageAnswering(cradle: Cradle) {
  const { messageInbox, agents, users, commands, approvals, explainError, log } = cradle
  const lines = new Map<string, Line>()
  const attempts = new Map<string, Attempt>()

  const nameOf = ({ channel_id, conversation_id, urgent }: Lane) =>
    `${channel_id} ${urgent ? 'urgent' : 'ordered'} ${conversation_id}`

  const toLane = ({ channel_id, conversation_id, urgent }: InboxDocument): Lane => ({
    channel_id,
    conversation_id,
    urgent,
  })

  const findOwner = async ({ channel }: Session) => {
    const agent = await agents.find(channel.agent_id)
    return agent ? await users.find(agent.owner_id) : null
  }

  /** Returns the command in a message, or the decision that it makes. That decision may have been made meanwhile. */
  const readCommand = async (message: InboxDocument): Promise<ChatCommand | undefined> => {
    const { channel_id, conversation_id, sender, text = '', urgent } = message
    const command = parseCommand(text)
    if (command || !urgent) return command
    const waiting = await approvals.listWaiting(channel_id, conversation_id)
    return commands.parseDecision(text, waiting, sender) ?? { name: 'answer', argument: text }
  }

  /** Ends the work on the message that is being answered while a command runs; false if there is none. */
  const stopDelivery = async (message: InboxDocument, after_ms: number): Promise<boolean> => {
    if (!message.urgent) return false
    const attempt = lines.get(nameOf({ ...toLane(message), urgent: false }))?.attempt
    if (!attempt) return false
    if (after_ms === 0 && (await isDoneSoon(attempt))) return false
    attempt.stop(after_ms)
    return true
  }

  /** True if everything is delivered, so that only the end is stored. */
  const isDoneSoon = ({ done }: Attempt): Promise<boolean> =>
    Promise.race([done.then(always, always), pause(STORING_MS, false, { ref: false })])

  /** Answers one message. */
  const answer = async (message: InboxDocument, session: Session) => {
    const owner = await findOwner(session)
    if (!owner) return
    const locale = owner.locale ?? 'en'
    const { target } = messageInbox.unseal(message)
    const delivery = createDelivery(message, target, session)
    if (!owner.enabled) {
      const { message: words } = explainError(new AppError('USER_DISABLED'), locale, message._id)
      await delivery.say('refusal', words)
      return
    }
    if (message.refusal) {
      await delivery.say('refusal', say(message.refusal, locale))
      return
    }
    const command = await readCommand(message)
    if (command) {
      const context = {
        ...{ channel: session.channel, message, user_id: owner._id, locale },
        stopDelivery: (after_ms: number) => stopDelivery(message, after_ms),
      }
      const words = await commands.run(context, command)
      if (words !== '') await delivery.say('command', words)
      return
    }
    try {
      await answerMessage({ message, session, delivery, owner, locale }, cradle)
    } catch (error) {
      // The conversation can be written to, so the person is notified.
      if (error instanceof ChannelFailure && TEXT_REFUSALS.includes(error.reason))
        await delivery.notify('undelivered', say('undelivered', locale))
      throw error
    }
  }

  /** True if another attempt to answer a message is useless, or too many have failed. */
  const isGivenUp = (
    error: unknown,
    { _id }: InboxDocument,
    { session: { log, channel }, failures }: Line,
  ): boolean => {
    // The thread was removed meanwhile, and the message with it.
    if (error instanceof AppError && error.code === 'THREAD_NOT_FOUND') return true
    if (isUnavailable(error)) return false
    if (error instanceof ChannelFailure) {
      const { reason, message } = error
      log.warn({ reason, detail: message, channel: channel._id }, 'the platform refused an answer')
      return true
    }
    const count = (failures.get(_id) ?? 0) + 1
    failures.set(_id, count)
    log.error({ error, message: _id, count }, 'message not answered')
    return count >= MOST_FAILURES
  }

  /** Answers a message and closes it; false if it must be tried again. */
  const answerAndClose = async (message: InboxDocument, line: Line, signal: AbortSignal) => {
    const { session, failures } = line
    try {
      await answer(message, { ...session, signal })
    } catch (error) {
      if (session.signal.aborted) return false
      if (!signal.aborted && !isGivenUp(error, message, line)) return false
    }
    failures.delete(message._id)
    const conversation_id = await messageInbox.close(message)
    if (!message.urgent) await approvals.forget(message.channel_id, conversation_id)
    if (message.urgent) wake(session, { ...toLane(message), urgent: false })
    return true
  }

  const begin = (message: InboxDocument, line: Line): Attempt => {
    const ending = createDeadline([line.session.signal])
    let late: NodeJS.Timeout | undefined
    const done = answerAndClose(message, line, ending.signal).finally(() => {
      clearTimeout(late)
      ending.release()
      attempts.delete(message._id)
    })
    const attempt: Attempt = {
      done,
      stop(after_ms) {
        clearTimeout(late)
        late = setTimeout(() => ending.abort(), after_ms)
      },
    }
    attempts.set(message._id, attempt)
    return attempt
  }

  /** Works on a message; resolves with false if it must be tried again. */
  const attempt = async (message: InboxDocument, line: Line): Promise<boolean> => {
    // A conversation that moved to another id brings the message that is being answered along.
    line.attempt = attempts.get(message._id) ?? begin(message, line)
    try {
      return await line.attempt.done
    } finally {
      delete line.attempt
    }
  }

  /**
   * True if a command that begins a new conversation comes before a message: it wakes the lane when it is done. Before the
   * first message of a line, such a command has a line already.
   */
  const isHeldBack = async (message: InboxDocument, isFirst: boolean): Promise<boolean> => {
    if (message.urgent || message.after_seq !== undefined || message.thread_id !== undefined) return false
    if (isFirst && !lines.has(nameOf({ ...toLane(message), urgent: true }))) return false
    const commands = await messageInbox.listUrgentBefore(message)
    return commands.some(({ text = '' }) => parseCommand(text)?.name === 'new')
  }

  const work = async (lane: Lane, line: Line) => {
    const { signal } = line.session
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      line.isWoken = false
      try {
        const message = await messageInbox.next(lane)
        if (!message || (await isHeldBack(message, isFirst))) {
          if (line.isWoken) continue
          return
        }
        if (await attempt(message, line)) continue
      } catch (error) {
        if (!isUnavailable(error)) log.error({ error, channel: lane.channel_id }, 'inbox not read')
      }
      // Rejects only when aborted, which ends the loop.
      await pause(RETRY_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  const wake = (session: Session, lane: Lane) => {
    const name = nameOf(lane)
    const line = lines.get(name)
    if (line) {
      line.isWoken = true
      return
    }
    if (session.signal.aborted) return
    const begun: Line = { session, isWoken: false, failures: new Map(), done: Promise.resolve() }
    lines.set(name, begun)
    begun.done = work(lane, begun).finally(() => lines.delete(name))
  }

  return {
    /** Starts answering the messages of one lane. */
    wake,
    /** Starts answering all messages that wait in these channels. */
    async wakeAll(sessions: readonly Session[]) {
      const byChannel = new Map(sessions.map((session) => [session.channel._id, session]))
      const lanes = await messageInbox.listLanes([...byChannel.keys()])
      // Commands first: what follows one waits for it.
      for (const lane of lanes.sort((a, b) => Number(b.urgent) - Number(a.urgent)))
        wake(byChannel.get(lane.channel_id)!, lane)
    },
    /** Resolves when no message of a channel that is being closed is worked on. */
    async leave(channel_id: string) {
      const theirs = [...lines.values()].filter(({ session }) => session.channel._id === channel_id)
      await Promise.all(theirs.map(({ done }) => done))
    },
  }
}

const always = () => true

/** A turn that has ended, and the conversation for its answer. */
interface Delivered extends ConversationKey {
  agent_id: string
  thread_id: string
  client_message_id: string
  after_seq: number
}

/** Has the answer of a turn delivered by the server that holds the channel; false if the conversation does not exist. */
export async function deliverAnswer(
  { agent_id, channel_id, conversation_id, client_message_id, ...place }: Delivered,
  { conversations, messageInbox, supervisor }: Pick<Cradle, 'conversations' | 'messageInbox' | 'supervisor'>,
): Promise<boolean> {
  const conversation = await conversations.find({ agent_id, channel_id, conversation_id })
  if (!conversation) return false
  await messageInbox.addAnswer(agent_id, conversation, { turn_message_id: client_message_id, ...place })
  supervisor.wake(channel_id, conversation_id, false)
  return true
}
