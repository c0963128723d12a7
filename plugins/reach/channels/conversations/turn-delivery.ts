import {
  AppError,
  ChannelFailure,
  describeEnd,
  isUnavailable,
  type JSONValue,
  type OutboundFile,
  sayEnd,
} from '#plugin-api'
import type { ThreadDocument } from '../../../conversations/chat/documents.ts'
import type { ReadEvent } from '../../../conversations/chat/ledger/ledger-reader.ts'
import type { CommonSettings } from '../config/common-settings.ts'
import type { DeliveryProgress } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import { createReplyWriter, isVisible } from '../writing/index.ts'
import type { Answering } from './answer.ts'
import type { Question } from './approvals.ts'
import { say } from './phrases.ts'

/** The largest file that is sent to a platform, in bytes. */
const MAX_FILE_BYTES = 20 * 1024 * 1024
/** Matches the brackets that begin link definitions, which show nothing. */
const DEFINITIONS = /^ {0,3}\[/gm

const NOTHING: DeliveryProgress = { parts: 0, sent: 0, covered: 0, live: null, files: 0 }

/**
 * Creates the delivery of a turn's events to the conversation. An earlier attempt may have shown the events up to
 * `known_seq`; they are not shown piece by piece again, as the reply would shrink and grow once more.
 */
export function createTurnDelivery(
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
      const request = { agent_id: thread.agent_id, max_bytes: MAX_FILE_BYTES, paths: [path] }
      const [contents] = await extensions['agents.file_contents'].ask(request)
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
      else if (attached.size === 0) reply.note(sayEnd('no_answer', locale))
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
          const request = {
            ...{ message: { ...message, conversation_id }, thread },
            ...{ pending: event.frame, settings: config, locale },
          }
          try {
            for (const question of await approvals.ask(request))
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
          const ending = describeEnd(stop_reason, locale)
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

/** Creates the text of a reply: everything that comes in mode `stream`, else the final answer. */
function createReplyText({
  response_mode = 'invoke',
  show_thinking = false,
  show_tool_hints = false,
}: CommonSettings) {
  const isLive = response_mode === 'stream'
  let text = ''
  let last: 'content' | 'reasoning' | 'other' = 'other'

  const separate = () => {
    if (text !== '' && !text.endsWith('\n\n')) text += '\n\n'
  }

  const append = (kind: typeof last, words: string) => {
    if (last !== kind) {
      separate()
      if (kind === 'reasoning') text += '> 💭 '
    }
    last = kind
    text += kind === 'reasoning' ? words.replaceAll('\n', '\n> ') : words
  }

  return {
    add(event: ReadEvent) {
      switch (event.type) {
        case 'content':
          return append('content', event.frame.content)
        case 'reasoning':
          if (isLive && show_thinking) append('reasoning', event.frame.content)
          return
        case 'tool_call':
          if (event.frame.parent_tool_call_id !== undefined) return
          // Text before a tool call announces the call; it is not part of the answer.
          if (!isLive) text = ''
          else if (show_tool_hints) {
            separate()
            text += `🔧 \`${event.frame.name}\``
          }
          last = 'other'
      }
    },
    /** Adds a paragraph from the gateway itself. */
    note(words: string) {
      last = 'other'
      separate()
      text += words
    },
    get text(): string {
      return text
    },
    /** Starts the next part of the reply with an empty text. */
    begin() {
      text = ''
      last = 'other'
    },
  }
}
