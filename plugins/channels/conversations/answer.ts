import { setTimeout as pause } from 'node:timers/promises'
import { AppError, isUnavailable, type Locale } from '#kernel'
import { ChannelFailure, type JSONValue, type OutboundFile } from '#plugin-api'
import { createDeadline } from '#toolbox'
import type { ThreadDocument } from '../../chat/documents.ts'
import type { ReadEvent } from '../../chat/ledger/ledger-reader.ts'
import type { UserDocument } from '../../users/types.ts'
import { groupRulesFor } from '../config/common-settings.ts'
import type { Session } from '../connections/session.ts'
import type { DeliveryProgress, InboxDocument } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import { createReplyWriter, isVisible } from '../writing/index.ts'
import type { Question } from './approvals.ts'
import type { Delivery } from './delivery.ts'
import { say } from './phrases.ts'
import { buildContent } from './question-content.ts'
import { createReplyText } from './reply-text.ts'

/** The largest file that is sent to a platform, in bytes. */
const MAX_FILE_BYTES = 20 * 1024 * 1024
/** Matches the brackets that begin link definitions, which show nothing. */
const DEFINITIONS = /^ {0,3}\[/gm
/** Interval for checking that a message whose turn has not begun is still in the queue, in milliseconds. */
const QUEUE_POLL_MS = 2000

/** A message with the context for answering it. */
interface Answering {
  message: InboxDocument
  session: Session
  delivery: Delivery
  /** The owner of the agent; the turn runs in the owner's account. */
  owner: UserDocument
  locale: Locale
}

const NOTHING: DeliveryProgress = { parts: 0, sent: 0, covered: 0, live: null, files: 0 }

/** The id by which every process recognizes the turn of a message. */
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
  const left = createDeadline([session.signal])
  const { signal } = left
  const show = createShow(answering, thread, newest.at(-1)?.seq ?? 0, cradle)
  let turn_id: string | undefined
  let refusal: unknown
  /** Stops waiting for a message that was taken back, or removed with its thread, while it was queued. */
  const leaveRemoved = async () => {
    while (turn_id === undefined && !signal.aborted) {
      // Rejects only when aborted, which ends the loop.
      await pause(QUEUE_POLL_MS, undefined, { signal }).catch(() => undefined)
      if (!signal.aborted && !(await chat.findRepeated(account, clientMessageId(message)))) left.abort()
    }
  }
  startTurn(answering, thread, cradle)
    .then(leaveRemoved)
    .catch((error) => {
      refusal = error
      // A turn that has begun ends by its own events, even if this call fails.
      if (turn_id === undefined) left.abort()
    })
  try {
    for await (const event of ledgerReader.follow({
      thread_id,
      user_id: owner._id,
      after: after_seq,
      signal,
    })) {
      if (event.type === 'turn_started' && event.frame.client_message_id === clientMessageId(message))
        turn_id = event.turn_id
      if (event.turn_id !== turn_id) continue
      if (await show.event(event)) break
    }
    session.signal.throwIfAborted()
    if (refusal !== undefined && turn_id === undefined) await show.refusal(refusal)
  } finally {
    left.abort()
    left.release()
    await show.stop()
  }
  const rules = groupRulesFor(config, message.conversation_id)
  if (rules.clear_after_reply && message.turn_message_id === undefined)
    await conversations.forget(channel, message.conversation_id, message.sent_at)
}

/** Starts the turn that answers a message, unless an earlier attempt did. */
async function startTurn(
  { message, session, owner, locale }: Answering,
  thread: ThreadDocument,
  cradle: Cradle,
): Promise<void> {
  const { agents, chat } = cradle
  const { user_id, agent_id } = thread
  const client_message_id = clientMessageId(message)
  if (await chat.findRepeated({ user_id, agent_id }, client_message_id)) return
  const agent = await agents.find(agent_id)
  if (agent?.state !== 'running')
    throw new AppError('AGENT_NOT_RUNNING', { state: agent?.state ?? 'deleted' })
  const content = await buildContent(message, session, locale, cradle)
  const { _id: id, role, permissions, token_quota } = owner
  await chat.submit({
    thread_id: thread._id,
    agent,
    user: { id, role, permissions, token_quota },
    content,
    client_message_id,
    locale,
    request_id: message._id,
  })
}

/**
 * Creates the delivery of a turn's events to the conversation. An earlier attempt may have shown the events up to
 * `known_seq`; they are not shown piece by piece again, as the reply would shrink and grow once more.
 */
function createShow(
  { message, session, delivery, locale }: Answering,
  thread: ThreadDocument,
  known_seq: number,
  cradle: Cradle,
) {
  const { approvals, chat, extensions, messageInbox, explainError, threads } = cradle
  const { config, connect, signal, log, onRefused } = session
  const progress = { ...(message.progress ?? NOTHING) }
  const reply = createReplyText(config)
  const notices: string[] = []
  const attached = new Map<string, Extract<ReadEvent, { type: 'attachment' }>['frame']>()
  let part = 0
  let typing = delivery.startTyping()
  /** True once the current part has something that a person can see. */
  let isShown = false
  let writer: ReturnType<typeof createReplyWriter> | undefined

  const save = (changes: Partial<DeliveryProgress>) => {
    Object.assign(progress, changes)
    return messageInbox.saveProgress(message, { ...progress })
  }

  /** Returns the writer of the current part; undefined if an earlier process has delivered this part. */
  const writerOf = () => {
    if (part < progress.parts) return undefined
    const { sent, covered, live } = progress
    writer ??= createReplyWriter({
      connect,
      capabilities: delivery.capabilities,
      target: delivery.target,
      key: delivery.keyOf(`part ${part}`),
      is_live: config.response_mode === 'stream',
      progress: { sent, covered, live },
      save,
      ...{ signal, log, onRefused },
      cut_off_note: say('cut_off', locale),
    })
    return writer
  }

  const endPart = async () => {
    if (isVisible(reply.text)) await writerOf()?.finish(reply.text)
    writer = undefined
    isShown = false
    part += 1
    if (part > progress.parts) await save({ parts: part, sent: 0, covered: 0, live: null })
    reply.begin()
  }

  const logRefusal = ({ reason, message }: ChannelFailure, what: string) =>
    log.warn({ reason, detail: message }, `the platform refused ${what}`)

  /** Sends a question; without its buttons if the platform refuses it with them, as its words suffice to answer. */
  const sendQuestion = async ({ code, text, buttons, pressers }: Question): Promise<JSONValue> => {
    try {
      return await delivery.say(`ask ${code}`, text, { buttons, pressers })
    } catch (error) {
      if (!(error instanceof ChannelFailure) || buttons.length === 0) throw error
      logRefusal(error, 'a question with buttons')
      return await delivery.say(`ask ${code} in words`, text)
    }
  }

  /** Sends a file; false if the platform does not take it. */
  const sendFile = async (file: Omit<OutboundFile, 'key'>, name: string): Promise<boolean> => {
    try {
      return await delivery.sendFile(file, name)
    } catch (error) {
      if (!(error instanceof ChannelFailure)) throw error
      logRefusal(error, 'a file')
      return false
    }
  }

  const sendFiles = async () => {
    for (const [index, { path, filename, media_type }] of [...attached.values()].entries()) {
      if (index < progress.files) continue
      const asked = { agent_id: thread.agent_id, max_bytes: MAX_FILE_BYTES, paths: [path] }
      const [contents] = await extensions['agents.file_contents'].ask(asked)
      const bytes = contents?.get(path)
      const isSent = bytes && (await sendFile({ filename, media_type, bytes }, `file ${index}`))
      if (!isSent) await delivery.say(`file ${index}`, say('file_unsent', locale, { filename }))
      await save({ files: index + 1 })
    }
  }

  const end = async () => {
    typing.stop()
    if (!isVisible(reply.text)) {
      const source = reply.text.trim().replace(DEFINITIONS, '\\[')
      reply.begin()
      if (isVisible(source)) reply.note(source)
      else if (attached.size === 0) reply.note(say('no_answer', locale))
    }
    await endPart()
    await sendFiles()
  }

  const isPendingStill = async (pending_id: string) => {
    const { active_turn } = await threads.get(thread, thread._id)
    return active_turn?.paused?.pending_id === pending_id
  }

  return {
    /** Delivers an event; true once the turn has ended and everything is delivered. */
    async event(event: ReadEvent): Promise<boolean> {
      reply.add(event)
      switch (event.type) {
        case 'attachment':
          attached.set(event.frame.path, event.frame)
          return false
        case 'hitl_required': {
          typing.stop()
          await endPart()
          if (!(await isPendingStill(event.frame.pending_id))) return false
          const conversation_id = await messageInbox.conversationOf(message)
          const asked = {
            ...{ message: { ...message, conversation_id }, thread },
            ...{ pending: event.frame, settings: config, locale },
          }
          try {
            for (const question of await approvals.ask(asked))
              await approvals.noteSent(question.code, await sendQuestion(question))
          } catch (error) {
            // Nobody here can decide, and a turn that waits would hold up every later message.
            if (error instanceof ChannelFailure) await chat.stop(await threads.get(thread, thread._id))
            throw error
          }
          return false
        }
        case 'hitl_resolved':
          typing.stop()
          typing = delivery.startTyping()
          for (const { sent, text } of await approvals.settle(event.frame, locale))
            await delivery.settle(sent, text)
          return false
        case 'notice':
          notices.push(event.frame.message)
          return false
        case 'done': {
          const { stop_reason, sources } = event.frame
          const ending = chat.describeEnd(stop_reason, locale)
          if (ending) reply.note(`*${ending}*`)
          for (const notice of notices) reply.note(`*${notice}*`)
          const list = listSources(sources, reply.text)
          if (list) reply.note(say('sources', locale, { list }))
          await end()
          return true
        }
        case 'error':
          if (config.response_mode !== 'stream') reply.begin()
          reply.note(say('failed', locale, { message: event.frame.message }))
          await end()
          return true
        default:
          if (event.seq < known_seq) return false
          isShown ||= isVisible(reply.text)
          if (isShown) writerOf()?.show(reply.text)
          return false
      }
    },
    /** Explains in the conversation why no turn was started; rethrows an error that a later attempt may not meet. */
    async refusal(error: unknown): Promise<void> {
      if (!(error instanceof AppError) || error.code === 'SHUTTING_DOWN' || isUnavailable(error)) throw error
      const { message: words } = explainError(error, locale, message._id)
      reply.note(say('failed', locale, { message: words }))
      await end()
    },
    async stop(): Promise<void> {
      typing.stop()
      await writer?.stop()
    },
  }
}

/** The most sources that an answer names. */
const MAX_SOURCES = 10

/** Lists the passages of knowledge bases that an answer is taken from: those that it names, or else all of them. */
function listSources(
  sources: Extract<ReadEvent, { type: 'done' }>['frame']['sources'],
  text: string,
): string {
  const passages = (sources ?? []).filter(({ type }) => type === 'knowledge')
  const named = passages.filter(({ number }) => text.includes(`[${number}]`))
  return (named.length > 0 ? named : passages)
    .slice(0, MAX_SOURCES)
    .map(({ number, title }) => `[${number}] ${title}`)
    .join('\n')
}
