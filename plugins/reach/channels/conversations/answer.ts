import { AppError, type Locale } from '#plugin-api'
import type { ThreadDocument } from '../../../conversations/chat/documents.ts'
import type { Account } from '../../../identity/users/types.ts'
import { groupRulesFor } from '../config/common-settings.ts'
import type { Session } from '../connections/session.ts'
import type { InboxDocument } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import type { Delivery } from './delivery.ts'
import { buildContent } from './question-content.ts'
import { createTurnDelivery } from './turn-delivery.ts'

/** A message with the context for answering it. */
export interface Answering {
  message: InboxDocument
  session: Session
  delivery: Delivery
  /** The owner of the agent; the turn runs in the owner's account. */
  owner: Account
  locale: Locale
}

/** The id with which every process recognizes the turn of a message. */
const clientMessageId = ({ _id, turn_message_id = `channel:${_id}` }: InboxDocument) => turn_message_id

/**
 * Answers a message by a turn of the agent and delivers the reply; continues an earlier attempt if one was interrupted.
 * Returns when everything is delivered; throws if the attempt was interrupted and must be repeated later.
 */
export async function answerMessage(answering: Answering, cradle: Cradle): Promise<void> {
  const { message, session, owner } = answering
  const { conversations, messageInbox, chat, threads, ledgerReader } = cradle
  const { channel, config } = session
  const account = { user_id: owner._id, agent_id: channel.agent_id }
  let { thread_id, after_seq } = message
  let thread: ThreadDocument
  if (thread_id === undefined || after_seq === undefined) {
    const earlier = thread_id && (await conversations.readThread(channel, thread_id, owner._id))
    thread = earlier || (await conversations.threadOf(channel, message.conversation_id, owner._id))
    thread_id = thread._id
    after_seq = chat.positionOf(thread)
    await messageInbox.begin(message, { thread_id, after_seq })
  } else thread = await threads.get(account, thread_id)

  const { events: newest } = await ledgerReader.page(thread_id, { limit: 1 })
  const show = createTurnDelivery(answering, thread, newest.at(-1)?.seq ?? 0, cradle)
  const { signal } = session
  try {
    const turn = await startTurn(answering, thread, cradle).catch(async (error) => {
      signal.throwIfAborted()
      await show.refusal(error)
    })
    if (turn)
      for await (const event of chat.follow({ ...account, ...turn, acrossPauses: true }, signal)) {
        if (await show.event(event)) break
      }
    signal.throwIfAborted()
  } finally {
    await show.stop()
  }
  const rules = groupRulesFor(config, message.conversation_id)
  if (rules.clear_after_reply && message.turn_message_id === undefined)
    await conversations.forget(channel, message.conversation_id, message.sent_at)
}

/** Starts the turn that answers a message, unless an earlier attempt did. */
async function startTurn(
  answering: Answering,
  thread: ThreadDocument,
  cradle: Cradle,
): Promise<{ thread_id: string; turn_id: string; after?: number }> {
  const { message, owner, locale } = answering
  const { agents, chat } = cradle
  const { _id: thread_id, user_id, agent_id } = thread
  const client_message_id = clientMessageId(message)
  const earlier = await chat.findRepeated({ user_id, agent_id }, client_message_id)
  if (earlier) return { thread_id: earlier.thread_id, turn_id: earlier.turn_id }
  const agent = await agents.find(agent_id)
  if (agent?.state !== 'running')
    throw new AppError('AGENT_NOT_RUNNING', { state: agent?.state ?? 'deleted' })
  const content = await buildContent(answering, thread, cradle)
  const { _id: id, role, permissions, group_ids: groups, token_quota } = owner
  const { budget = null, timezone = null, memory = true } = owner
  const started = await chat.start({
    thread_id,
    agent,
    user: { id, role, permissions, groups, token_quota, budget, timezone, memory },
    content,
    client_message_id,
    locale,
    request_id: message._id,
  })
  const { turn_id } = started
  return { thread_id, turn_id, ...(started.outcome === 'started' && { after: started.after }) }
}
