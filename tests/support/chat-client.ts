import { isDeepStrictEqual } from 'node:util'
import type { TestFrame } from './socket.ts'

/*
 * The state of a thread in a client: the client loads the history once, subscribes after its `last_seq` and applies
 * every frame. Whatever the source of the frames (WebSocket, the response to a decision) and their cuts, the state
 * equals the history at the same seq.
 */

/** A part of a message, as the contract names them. */
export type ClientBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }
  | { type: 'tool_result'; id: string; name: string; output: string; is_error: boolean }
  | { type: 'image' | 'file'; path: string; filename: string; media_type: string }

interface Cost {
  amount: number
  currency: string
}
/** Numbers of tokens, `is_estimated`, and the cost. */
type Usage = Record<string, number | boolean | Cost | null>
type Artifact = { path: string; filename: string; media_type: string; url: string }
type Source = { id: string; title: string; url?: string }

/** A message as a client holds it; null means that frames do not contain the value and only the history does. */
export interface ClientMessage {
  id: string
  role: 'user' | 'assistant' | 'tool'
  /** Null for a message that another client sent: `turn_started` names the message, not its text. */
  content: ClientBlock[] | null
  /** Null for a message that a frame has begun: frames carry no times. */
  timestamp: number | null
  turn_id: string
  status: 'complete' | 'streaming' | 'stopped' | 'failed'
  model?: string
  usage?: Usage
  stop_reason?: string
  notices?: { code: string; message: string; details?: object }[]
  artifacts?: Artifact[]
  sources?: Source[]
  error?: { code: string; message: string }
}

/** The approval that a paused turn waits for. */
export interface ClientPending {
  pending_id: string
  action_requests: { id: string; name: string; args: Record<string, unknown>; description: string }[]
  review_configs: { action_name: string; allowed_decisions: string[] }[]
  expires_at: number
}

/** A page of a thread's history. */
export interface ClientPage {
  thread_id: string
  messages: ClientMessage[]
  last_seq: number
  turn_active: boolean
  hitl_pending: ClientPending | null
  artifacts: Artifact[]
  sources: Source[]
  has_more: boolean
  next_cursor: string | null
}

/** All pages of a thread's history, newest first. */
export type ClientPages = readonly [ClientPage, ...ClientPage[]]

/** A thread as a client holds it. */
export interface ClientThread {
  thread_id: string
  /** The seq of the last frame that is included: a subscription after it delivers the rest. */
  last_seq: number
  messages: ClientMessage[]
  turn_active: boolean
  hitl_pending: ClientPending | null
  /** Files and sources of ended turns, each once; the active turn has its own in its messages. */
  artifacts: Artifact[]
  sources: Source[]
  /** Messages of pages that were read later than the newest page, with the seq of their state. */
  readonly read_at: Map<string, number>
  /** The messages that this client sent itself, by client_message_id. */
  readonly said: Map<string, ClientBlock[]>
}

/** Creates the state from a history; further pages, read by cursor, are older and may have been read at a later seq. */
export function openThread([newest, ...older]: ClientPages): ClientThread {
  const { thread_id, last_seq, turn_active, hitl_pending, artifacts, sources } = newest
  return structuredClone({
    thread_id,
    last_seq,
    messages: [...older.toReversed(), newest].flatMap(({ messages }) => messages),
    turn_active,
    hitl_pending,
    artifacts,
    sources,
    read_at: new Map(older.flatMap((page) => page.messages.map(({ id }) => [id, page.last_seq]))),
    said: new Map(),
  })
}

/** Applies one frame to a thread; throws if frames before it are missing. */
export function applyFrame(thread: ClientThread, frame: TestFrame): void {
  // `pong`, `turn_status` and errors about sent frames do not belong to a thread.
  if (frame.seq === undefined || frame.thread_id !== thread.thread_id) return
  // After a new subscription, frames that were seen before come again.
  if (frame.seq <= thread.last_seq) return
  if (frame.seq > thread.last_seq + 1)
    throw new Error(`frame ${frame.seq} came behind ${thread.last_seq}: subscribe again behind that`)
  thread.last_seq = frame.seq
  if (frame.type === 'turn_started') thread.turn_active = true
  if (frame.type === 'hitl_required') {
    const { pending_id, action_requests, review_configs, expires_at } = frame
    thread.hitl_pending = { pending_id, action_requests, review_configs, expires_at }
  }
  if (frame.type === 'hitl_resolved') {
    showEdits(thread, frame)
    thread.hitl_pending = null
  }
  applyToMessage(thread, frame)
  if (frame.type === 'done' || frame.type === 'error') endTurn(thread, frame)
}

/** Frames with a `message_id` build that message: blocks are appended, text joins the text right before it. */
function applyToMessage(thread: ClientThread, frame: TestFrame): void {
  const { tool_call_id: id, name, input, output, is_error, sources } = frame
  const { path, filename, media_type, url } = frame
  // The message of the delegating call shows what its subagent used, made and cited.
  const isDelegated = frame.parent_tool_call_id !== undefined
  switch (frame.type) {
    case 'turn_started': {
      const message = messageOf(thread, frame, 'user')
      if (message) message.content = thread.said.get(frame.client_message_id) ?? null
      return
    }
    case 'content':
    case 'reasoning':
      append(messageOf(thread, frame, 'assistant'), frame)
      return
    case 'tool_call':
      if (!isDelegated)
        messageOf(thread, frame, 'assistant')?.content?.push({
          type: 'tool_use',
          id,
          name,
          input,
          ...(frame.by_provider && { by_provider: true }),
        })
      return
    case 'tool_result': {
      if (isDelegated && !sources) return
      const message = messageOf(thread, frame, 'tool')
      if (!message) return
      if (sources) message.sources = once([...(message.sources ?? []), ...sources], 'id')
      if (isDelegated) return
      message.content!.push({ type: 'tool_result', id, name, output, is_error })
      message.status = 'complete'
      return
    }
    case 'notice': {
      const message = messageOf(thread, frame, 'assistant')
      const { code, message: text, details } = frame
      const notice = { code, message: text, ...(details && { details }) }
      if (message) message.notices = [...(message.notices ?? []), notice]
      return
    }
    case 'attachment': {
      const message = messageOf(thread, frame, 'tool')
      if (message) message.artifacts = [...(message.artifacts ?? []), { path, filename, media_type, url }]
      return
    }
    case 'usage': {
      // A model call that belongs to no message (it summarized older ones) only counts tokens.
      if (frame.message_id === undefined) return
      const message = messageOf(thread, frame, isDelegated ? 'tool' : 'assistant')
      if (!message) return
      message.usage = add(message.usage, frame.usage)
      message.model = frame.model
    }
  }
}

/**
 * Returns the message of a frame and begins it if it is missing; undefined if the message contains the frame already.
 */
function messageOf(
  { messages, read_at }: ClientThread,
  { message_id: id, turn_id, seq }: TestFrame,
  role: ClientMessage['role'],
): ClientMessage | undefined {
  const message = messages.find((message) => message.id === id)
  if (message) return (read_at.get(id) ?? 0) < seq ? message : undefined
  const begun: ClientMessage = {
    id,
    role,
    content: role === 'user' ? null : [],
    timestamp: null,
    turn_id,
    status: role === 'user' ? 'complete' : 'streaming',
  }
  messages.push(begun)
  return begun
}

function append(message: ClientMessage | undefined, { type, content: text }: TestFrame): void {
  const content = message?.content
  const last = content?.at(-1)
  if (type === 'content') {
    if (last?.type === 'text') last.text += text
    else content?.push({ type: 'text', text })
  } else if (last?.type === 'thinking') last.thinking += text
  else content?.push({ type: 'thinking', thinking: text })
}

/** Puts the arguments that a person has changed into their calls; decisions are in the order of requests. */
function showEdits({ messages, hitl_pending }: ClientThread, { decisions, turn_id }: TestFrame): void {
  const calls = messages.flatMap((message) => (message.turn_id === turn_id ? (message.content ?? []) : []))
  for (const [index, decision] of decisions.entries()) {
    if (decision.type !== 'edit') continue
    const { id } = hitl_pending!.action_requests[index]!
    // Some upstreams reuse the ids of calls in each answer: the newest call is meant.
    const call = calls.findLast((block) => block.type === 'tool_use' && block.id === id)
    if (call?.type === 'tool_use') call.input = decision.edited_action.args
  }
}

/** Shows the end of a turn on its last reply; a turn that failed before any reply has an empty one. */
function endTurn(thread: ClientThread, frame: TestFrame): void {
  const ofTurn = ({ turn_id }: ClientMessage) => turn_id === frame.turn_id
  for (const message of thread.messages.filter(ofTurn))
    if (message.status === 'streaming') message.status = 'complete'
  const status =
    frame.type === 'error' ? 'failed' : frame.stop_reason === 'stopped' ? ('stopped' as const) : undefined
  if (status) {
    const last = thread.messages.findLast((message) => ofTurn(message) && message.role === 'assistant')
    const reply = last ?? messageOf(thread, frame, 'assistant')!
    reply.status = status
    if (status === 'failed') reply.error = { code: frame.code, message: frame.message }
  }
  const answer = thread.messages.findLast((message) => ofTurn(message) && message.role === 'assistant')
  if (answer && frame.type === 'done') answer.stop_reason = frame.stop_reason
  // Output of a delegation without a result is not kept.
  const isKept = ({ role, content, artifacts, sources }: ClientMessage) =>
    role !== 'tool' || content!.length > 0 || artifacts !== undefined || sources !== undefined
  thread.messages = thread.messages.filter((message) => !ofTurn(message) || isKept(message))
  const made = thread.messages.filter(ofTurn)
  thread.artifacts = withNewest(
    thread.artifacts,
    made.flatMap(({ artifacts = [] }) => artifacts),
    'path',
  )
  thread.sources = withNewest(
    thread.sources,
    made.flatMap(({ sources = [] }) => sources),
    'id',
  )
  thread.turn_active = false
}

/** Appends the files or sources of a turn, each once, as it was named last. */
function withNewest<Key extends string, Named extends Record<Key, string>>(
  named: readonly Named[],
  added: readonly Named[],
  key: Key,
): Named[] {
  const latest = once(added, key)
  const isNamedAgain = (item: Named) => latest.some((other) => other[key] === item[key])
  return [...named.filter((item) => !isNamedAgain(item)), ...latest]
}

/** Keeps each item once, as it was named last. */
function once<Key extends string, Named extends Record<Key, string>>(
  named: readonly Named[],
  key: Key,
): Named[] {
  return [...new Map(named.map((item) => [item[key], item])).values()]
}

/** Adds up counts; a mark that is true once is true of the sum. */
function add(sum: Usage = {}, spent: Usage): Usage {
  const total = { ...sum }
  for (const [name, value] of Object.entries(spent))
    if (name === 'cost') total.cost = addCost(sum.cost as Cost | null | undefined, value as Cost | null)
    else if (typeof value === 'boolean') total[name] = value || total[name] === true
    else total[name] = Number(value) + Number(total[name] ?? 0)
  return total
}

/** Adds amounts without the blur of fractions. */
const addCost = (sum: Cost | null | undefined, spent: Cost | null): Cost | null =>
  sum && spent
    ? { ...spent, amount: Math.round((sum.amount + spent.amount) * 1e9) / 1e9 }
    : (spent ?? sum ?? null)

/**
 * Describes the first difference between a client's thread and its history; values that no frame contains are left out.
 */
export function differenceOf(
  { read_at, said, ...thread }: ClientThread,
  pages: ClientPages,
): string | undefined {
  const { read_at: _, said: __, ...wanted } = openThread(pages)
  const expectedMessages = new Map(wanted.messages.map((message) => [message.id, message]))
  const messages = thread.messages.map((message) => ({
    ...message,
    content: message.content ?? expectedMessages.get(message.id)?.content,
    timestamp: message.timestamp ?? expectedMessages.get(message.id)?.timestamp,
  }))
  const actual: Record<string, unknown> = { ...thread, messages }
  for (const [field, one] of Object.entries(wanted)) {
    const other = actual[field]
    if (isDeepStrictEqual(one, other)) continue
    if (!Array.isArray(one) || !Array.isArray(other))
      return `${field} is ${JSON.stringify(other)}, not ${JSON.stringify(one)}`
    const at = one.findIndex((item, index) => !isDeepStrictEqual(item, other[index]))
    const index = at < 0 ? one.length : at
    return `${field} ${index} is ${JSON.stringify(other[index])}, not ${JSON.stringify(one[index])}`
  }
  return undefined
}
