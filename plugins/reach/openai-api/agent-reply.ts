import { AppError, type Locale } from '#plugin-api'
import type { AgentDocument } from '../../agents/agents/types.ts'
import type { Chat, StartedTurn, StartRequest } from '../../conversations/chat/chat.ts'
import type { Block, TurnSettings } from '../../conversations/chat/documents.ts'
import type { FollowedTurn } from '../../conversations/chat/queue/followed-turn.ts'
import type { EarlierTurn } from '../../conversations/chat/threads/earlier-turns.ts'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { Conversation, UserPart } from './conversation.ts'
import { toBlocks } from './files.ts'
import type { Cradle } from './manifest.ts'
import { asModel } from './parameters.ts'
import { type ReplyPart, toReplyParts } from './reply-parts.ts'
import { type AnsweredTurn, waitsForClient } from './waiting-calls.ts'

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

/** A thread that exists, and a message to it; `instructions` replace the instructions of the thread. */
interface ThreadTarget {
  thread_id: string
  parts: readonly UserPart[]
  instructions?: string
}

/** Results for a turn that waits for them; `instructions` replace the instructions of the thread. */
interface WaitingTarget {
  answered: AnsweredTurn
  instructions?: string
}

/**
 * A question to an agent: in a thread that exists, as the end of a conversation of its own, or results for a turn that
 * waits for them.
 */
export interface Question {
  agent: AgentDocument
  settings: TurnSettings
  target: ThreadTarget | { conversation: Conversation } | WaitingTarget
}

/** A reply that has begun. */
export interface AgentReply {
  thread_id: string
  turn_id: string
  /** The seq of the event after which the reply begins, if it is a part of the turn. */
  after?: number
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
 * before, and removes its thread if the question has created it. A client that leaves ends the turn. Throws
 * HITL_NOT_PENDING if the turn does not wait for results any more.
 */
export async function askAgent(question: Question, asker: Asker, cradle: Cradle): Promise<AgentReply> {
  const { agent, settings } = question
  const { locale, signal } = asker
  const { chat, log, threads } = cradle
  const { thread_id, isNew, begin } = await prepare(question, asker, cradle)
  try {
    const begun = await begin()
    const cancel = () => {
      chat.cancelTurn(begun).catch((error) => log.error({ error, thread_id }, 'a turn could not be stopped'))
    }
    if (signal.aborted) cancel()
    else signal.addEventListener('abort', cancel)
    const turn = { agent_id: agent._id, thread_id, locale }
    const said = toReplyParts(chat.follow(begun, signal), turn)
    const reply = settings.answer_format ? keepFinalText(said) : said
    const parts = await whenBegun(reply, signal, () => signal.removeEventListener('abort', cancel))
    const { turn_id, isPart, after } = begun
    return { thread_id, turn_id, ...(isPart && { after: after! }), parts }
  } catch (error) {
    if (isNew) await chat.purge(await threads.hide({ _id: thread_id }))
    throw error
  }
}

/** A turn that has begun or is queued; `isPart` is true if the reply begins after earlier events of the turn. */
interface BegunTurn extends FollowedTurn {
  isPart: boolean
}

/** A turn that can begin; its thread is removed if that is new and the turn fails at once. */
interface PreparedTurn {
  thread_id: string
  isNew: boolean
  begin(): Promise<BegunTurn>
}

/** Creates the thread of a question unless it names one, and stores the files of its message. */
async function prepare(
  { agent, settings, target }: Question,
  { caller, locale, request_id }: Asker,
  cradle: Cradle,
): Promise<PreparedTurn> {
  const { chat, threadArchive, threads } = cradle
  const blocksOf = (parts: readonly UserPart[]): Promise<Block[]> => toBlocks(parts, agent, caller.id, cradle)
  const order = { agent, user: caller, settings, locale, request_id }
  const owner = { user_id: caller.id, agent_id: agent._id }
  if ('answered' in target) {
    const { thread, pending, results } = target.answered
    const { instructions } = target
    const begin = async () => {
      if (instructions !== undefined) await threads.instruct(owner, thread._id, instructions)
      const resumed = await chat.answer(thread, pending, { agent, results, settings })
      return { ...owner, thread_id: thread._id, ...resumed, isPart: true }
    }
    return { thread_id: thread._id, isNew: false, begin }
  }
  if ('thread_id' in target) {
    const { parts, ...thread } = target
    const content = await blocksOf(parts)
    const begin = () => beginInThread({ ...order, ...thread, content }, cradle)
    return { thread_id: target.thread_id, isNew: false, begin }
  }
  const { instructions, turns, parts, steps } = target.conversation
  const earlier: EarlierTurn[] = []
  for (const turn of turns) earlier.push({ input: await blocksOf(turn.parts), steps: turn.steps })
  const content = await blocksOf(parts)
  const beginning = { channel_type: 'api', ...(instructions !== '' && { instructions }) }
  const { thread } = await threadArchive.createWithTurns(owner, earlier, beginning)
  const { _id: thread_id } = thread
  return { thread_id, isNew: true, begin: () => beginTurn({ ...order, thread_id, content, steps }, chat) }
}

/** Starts a turn, or queues it. Throws THREAD_PAUSED if another turn of the thread waits for a person. */
async function beginTurn(request: StartRequest, chat: Chat): Promise<BegunTurn> {
  const { thread_id, user, agent, steps = [] } = request
  const started = await chat.start(request, { refusesPaused: true })
  const { turn_id } = started
  const turn = { thread_id, turn_id, user_id: user.id, agent_id: agent._id, refusesPaused: true }
  if (started.outcome === 'started') return { ...turn, after: started.after, isPart: steps.length > 0 }
  // Only a message with an id can repeat another one.
  const { known_events: skip } = started as Extract<StartedTurn, { outcome: 'queued' }>
  return { ...turn, skip, isPart: false }
}

/** Begins a turn in a thread that exists; a turn there that waits for results ends, because the client sends none. */
async function beginInThread(order: StartRequest, { chat, threads }: Cradle): Promise<BegunTurn> {
  try {
    return await beginTurn(order, chat)
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'THREAD_PAUSED')) throw error
    const owner = { user_id: order.user.id, agent_id: order.agent._id }
    const thread = await threads.get(owner, order.thread_id)
    const pending = await chat.readPending(thread)
    if (pending && !waitsForClient(pending)) throw error
    if (pending) await chat.stop(thread)
    return beginTurn(order, chat)
  }
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

/**
 * Leaves out what an agent says before its final answer, if that is to be JSON: words before calls of its tools would
 * make the reply unreadable. Text that begins like JSON is passed on at once, other text once it is known to be the last.
 */
async function* keepFinalText(parts: AsyncIterable<ReplyPart>): AsyncGenerator<ReplyPart, void, void> {
  let current: { message_id: string; pendingText: string; isJson: boolean } | undefined
  for await (const part of parts) {
    if (part.type === 'reasoning') yield part
    else if (part.type === 'text') {
      const { message_id } = part
      if (current?.message_id !== message_id) current = { message_id, pendingText: '', isJson: false }
      const text = current.isJson ? part.text : (current.pendingText + part.text).trimStart()
      current.isJson ||= /^[[{]/.test(text)
      current.pendingText = current.isJson ? '' : text
      if (current.isJson) yield { ...part, text }
    } else {
      if (current?.pendingText)
        yield { type: 'text', message_id: current.message_id, text: current.pendingText }
      current = undefined
      yield part
    }
  }
}
