import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  attributeWords,
  ChannelFailure,
  type InboundFile,
  LINE_BREAK,
  type Locale,
  toLine,
  type UploadedFile,
  withDeadline,
} from '#plugin-api'
import type { Block, ThreadDocument } from '../../../conversations/chat/documents.ts'
import { groupRulesFor } from '../config/common-settings.ts'
import type { Session } from '../connections/session.ts'
import type { OverheardMessage } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import { toFailure } from '../writing/index.ts'
import type { Answering } from './answer.ts'
import { isIntroduction, say } from './phrases.ts'
import { createTranscripts } from './transcripts.ts'

/** The largest file that is accepted, in bytes: the same as for uploads. */
const MAX_FILE_BYTES = 20 * 1024 * 1024
/** Time limit for downloading a file, in milliseconds. */
const DOWNLOAD_MS = 120_000
/** The most files that come with a turn. */
const MAX_FILES = 16
/** The longest text that is sent to a model, in characters. */
const MAX_TEXT = 200_000

/**
 * Builds a turn's content from a message: its text with the history and the quote, the words of its voice messages, and
 * all their files. `thread` is that of the turn.
 */
export async function buildContent(
  { message, session, locale }: Pick<Answering, 'message' | 'session' | 'locale'>,
  { _id: thread_id, user_id, agent_id }: ThreadDocument,
  cradle: Cradle,
): Promise<Block[]> {
  const { channel, config } = session
  const { conversation_id, conversation_type, sender, text = '', quote, sent_at } = message
  const isGroup = conversation_type === 'group'
  const overheard = isGroup
    ? await cradle.conversations.recall(
        channel,
        conversation_id,
        groupRulesFor(config, conversation_id),
        sent_at,
      )
    : []
  const ownFiles = cradle.messageInbox.unseal(message).files
  const files = [...ownFiles]
  // The files of the message come first; the newest ones of the history take the room that is left.
  for (const earlierMessage of overheard.toReversed())
    files.unshift(...earlierMessage.files.slice(0, Math.max(0, MAX_FILES - files.length)))
  const transcripts = createTranscripts({ thread_id, user_id, agent_id }, session, cradle)
  const received = await Promise.all(
    files.map((file) => {
      const transcribe = ownFiles.includes(file) ? transcripts.read : undefined
      return receiveFile(file, { session, locale, transcribe }, cradle)
    }),
  )
  const spoken = received.flatMap(({ transcript }) =>
    transcript === undefined ? [] : [say('voice_message', locale, { text: transcript })],
  )
  const words = [text, ...spoken].filter((part) => part !== '').join('\n\n')
  const nameOf = (name: string | undefined) => toLine(name ?? say('somebody', locale))
  const introduce = (phrase: 'replies_to' | 'forwards' | 'message_from', name: string | undefined) =>
    say(phrase, locale, { sender: nameOf(name) })
  const parts = [
    ...(overheard.length > 0
      ? [[say('overheard', locale), ...overheard.map(quoteOverheard)].join('\n')]
      : []),
    ...(quote && quote.text.trim() !== ''
      ? [
          `${introduce(quote.is_forwarded ? 'forwards' : 'replies_to', quote.sender)}\n${prefix(quote.text, '> ')}`,
        ]
      : []),
    isGroup && words !== ''
      ? `${introduce('message_from', sender.name ?? sender.id)}\n${withoutIntroductions(words)}`
      : words,
    ...received.flatMap(({ loss = [] }) => loss),
  ]
  const content = parts
    .filter((part) => part.trim() !== '')
    .join('\n\n')
    .slice(0, MAX_TEXT)
    .toWellFormed()
  const blocks = received.flatMap(({ block = [] }) => block)
  return [...(content === '' ? [] : [{ type: 'text', text: content } as const]), ...blocks]
}

/** Puts a mark before each line of a text. */
const prefix = (text: string, mark: string) => `${mark}${text.replace(LINE_BREAK, `\n${mark}`)}`

/** Writes an overheard message with its files. */
function quoteOverheard({ sender, text, files = [] }: OverheardMessage): string {
  const names = files.map(({ filename = 'file' }) => `[${toLine(filename)}]`)
  return attributeWords(sender, [text, ...names].filter(Boolean).join(' '))
}

/** Marks the lines of a person's words that look as if the gateway introduced another person's. */
const withoutIntroductions = (text: string) =>
  text
    .split(LINE_BREAK)
    .map((line) => (isIntroduction(line) ? `> ${line}` : line))
    .join('\n')

/** True if a platform answers with a page, e.g. to sign in or about an expired address, in place of another file. */
function isPageInstead(
  { filename = '', media_type }: InboundFile,
  received_type: string | undefined,
): boolean {
  if (received_type !== 'text/html') return false
  if (media_type !== undefined) return media_type !== received_type
  return /\.\w+$/.test(filename) && !/\.x?html?$/i.test(filename)
}

/** A file of a message, with its words if it is a voice message; `loss` is a text that says why it is missing. */
interface ReceivedFile {
  block?: Extract<Block, { path: string }>
  transcript?: string
  loss?: string
}

/** Downloads a file into the workspace. */
async function receiveFile(
  file: InboundFile,
  {
    session,
    locale,
    transcribe,
  }: {
    session: Session
    locale: Locale
    transcribe: ((file: UploadedFile) => Promise<string | undefined>) | undefined
  },
  { extensions, server, log }: Cradle,
): Promise<ReceivedFile> {
  const folder = join(server.home, 'uploads')
  const path = join(folder, randomUUID())
  const { filename = 'file' } = file
  const lost = (detail: string) => ({
    loss: say('file_lost', locale, { filename: toLine(filename), detail: toLine(detail) }),
  })
  if ((file.size ?? 0) > MAX_FILE_BYTES) return lost(say('too_large', locale))
  const download = async (signal: AbortSignal) => {
    const connection = await session.connect(signal)
    if (!connection.download) throw new ChannelFailure('unsupported', say('not_kept', locale))
    const { bytes, ...said } = await connection.download(file.reference, signal)
    return { said, size: await store(bytes, path, signal) }
  }
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const { said, size } = await withDeadline(DOWNLOAD_MS, [session.signal], download)
    if (size === undefined) return lost(say('too_large', locale))
    if (isPageInstead(file, said.media_type)) return lost(say('web_page', locale))
    const uploaded: UploadedFile = {
      path,
      filename: (said.filename ?? filename).toWellFormed(),
      media_type: said.media_type ?? file.media_type ?? 'application/octet-stream',
      size,
    }
    const { agent_id } = session.channel
    const [storedFile] = await extensions['agents.received_files'].ask({ agent_id, file: uploaded })
    if (!storedFile) return lost(say('not_kept', locale))
    const { size: _, ...stored } = storedFile
    const transcript = await transcribe?.({ ...uploaded, media_type: stored.media_type })
    return {
      block: { type: stored.media_type.startsWith('image/') ? 'image' : 'file', ...stored },
      transcript,
    }
  } catch (error) {
    if (session.signal.aborted) throw error
    const { reason, detail } = toFailure(error)
    log.warn({ reason, detail, channel: session.channel._id }, 'a file of a message could not be downloaded')
    return lost(detail)
  } finally {
    await rm(path, { force: true })
  }
}

/** Writes a stream to a file and returns its size; undefined if it exceeds the limit. */
async function store(
  bytes: AsyncIterable<Uint8Array>,
  path: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  let size = 0
  const bounded = async function* () {
    for await (const piece of bytes) {
      size += piece.length
      if (size > MAX_FILE_BYTES) return
      yield piece
    }
  }
  await pipeline(Readable.from(bounded(), { objectMode: false }), createWriteStream(path, { mode: 0o600 }), {
    signal,
  })
  return size > MAX_FILE_BYTES ? undefined : size
}
