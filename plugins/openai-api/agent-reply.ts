import { AppError, type Locale } from '#kernel'
import type { AgentDocument, ModelSettings } from '../agents/types.ts'
import type { AuthCaller } from '../auth/types.ts'
import type { Block } from '../chat/documents.ts'
import type { EarlierTurn } from '../chat/threads/earlier-turns.ts'
import type { Conversation, UserPart } from './conversation.ts'
import { toBlocks } from './files.ts'
import type { Cradle } from './manifest.ts'
import { asModel } from './model-names.ts'
import { type ReplyPart, toReplyParts } from './reply-parts.ts'

/** The time in which a failure is answered by its status, also to a stream, in milliseconds. */
const HEADERS_WITHIN_MS = 10_000

/** The header that names the thread of a conversation. */
export const THREAD_HEADER = 'X-Thread-Id'

/** The caller of a request and its circumstances. */
export interface Asker {
  caller: AuthCaller
  locale: Locale
  request_id: string
  signal: AbortSignal
}

/** A thread that exists, and a message to it; `instructions` replace those of the thread. */
interface ThreadPlace {
  thread_id: string
  parts: readonly UserPart[]
  instructions?: string
}

/** A question to an agent: in a thread that exists, or as the end of a conversation of its own. */
export interface Question {
  agent: AgentDocument
  settings: ModelSettings
  place: ThreadPlace | { conversation: Conversation }
}

/** A reply that has begun. */
export interface AgentReply {
  thread_id: string
  turn_id: string
  parts: AsyncGenerator<ReplyPart, void, void>
}

/** Finds the agent that a request names as its model. Throws OPENAI_MODEL_NOT_FOUND, AGENT_NOT_RUNNING. */
export async function findAgent(
  model: string,
  { caller }: Asker,
  { agents }: Cradle,
): Promise<AgentDocument> {
  const agent = await asModel(model, agents.findRecent(caller, model))
  if (agent.state !== 'running')
    throw new AppError('AGENT_NOT_RUNNING', { state: agent.state, parameter: 'model' })
  return agent
}

/**
 * Asks an agent. Returns when its reply has begun, or after HEADERS_WITHIN_MS; throws the error of a turn that failed
 * before, and removes its thread if the question has created it. A client that leaves ends the turn.
 */
export async function askAgent(question: Question, asker: Asker, cradle: Cradle): Promise<AgentReply> {
  const { agent, settings } = question
  const { caller, locale, request_id, signal } = asker
  const { chat, log, threads } = cradle
  const { isNew, ...prepared } = await prepare(question, asker, cradle)
  const { thread_id } = prepared
  try {
    const begun = await chat.begin({ ...prepared, agent, user: caller, settings, locale, request_id })
    const cancel = () => {
      begun.cancel().catch((error) => log.error({ error, thread_id }, 'a turn could not be stopped'))
    }
    if (signal.aborted) cancel()
    else signal.addEventListener('abort', cancel)
    const events = toReplyParts(begun.follow(signal), { agent_id: agent._id, locale })
    const parts = await whenBegun(events, signal, () => signal.removeEventListener('abort', cancel))
    return { thread_id, turn_id: begun.turn_id, parts }
  } catch (error) {
    if (isNew) await chat.purge(await threads.hide({ _id: thread_id }))
    throw error
  }
}

/** Creates the thread of a question unless it names one, and stores the files of its message. */
async function prepare({ agent, place }: Question, { caller }: Asker, cradle: Cradle) {
  const blocksOf = (parts: readonly UserPart[]): Promise<Block[]> => toBlocks(parts, agent, caller.id, cradle)
  if ('thread_id' in place) {
    const { parts, ...thread } = place
    return { ...thread, content: await blocksOf(parts), isNew: false }
  }
  const { instructions, turns, parts } = place.conversation
  const earlier: EarlierTurn[] = []
  for (const { parts: said, steps } of turns) earlier.push({ input: await blocksOf(said), steps })
  const content = await blocksOf(parts)
  const owner = { user_id: caller.id, agent_id: agent._id }
  const beginning = { channel_type: 'api', ...(instructions !== '' && { instructions }) }
  const { _id: thread_id } = await cradle.threadArchive.createWithHistory(owner, earlier, beginning)
  return { thread_id, content, isNew: true }
}

/**
 * Waits for the first part of a reply, for a limited time; throws its error. The reply ends with its `end`, and throws
 * the reason of the signal, or THREAD_NOT_FOUND, if it has none. `onEnd` is called when nothing more is read.
 */
async function whenBegun(
  parts: AsyncGenerator<ReplyPart, void, void>,
  signal: AbortSignal,
  onEnd: () => void,
): Promise<AsyncGenerator<ReplyPart, void, void>> {
  const read = async (): Promise<ReplyPart> => {
    const { value, done } = await parts.next()
    if (!done) return value
    signal.throwIfAborted()
    throw new AppError('THREAD_NOT_FOUND')
  }
  const first = read()
  // The error is reported to the reader of the reply as well, who comes later.
  first.catch(onEnd)
  let timer: NodeJS.Timeout | undefined
  const waiting = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, HEADERS_WITHIN_MS)
  })
  try {
    await Promise.race([first, waiting])
  } finally {
    clearTimeout(timer)
  }
  return (async function* () {
    try {
      let part = await first
      while (part.type !== 'end') {
        yield part
        part = await read()
      }
      yield part
    } finally {
      onEnd()
      await parts.return()
    }
  })()
}
