import type { SentFrame, ThreadFrame } from '#client'
import { foldMessage } from './fold-message.ts'
import {
  addNewest,
  createTurn,
  type LiveCall,
  type Message,
  type ThreadView,
  type Turn,
} from './thread-view.ts'

/** Applies one frame to a thread. The result equals the history of the thread at the position of the frame. */
export function foldFrame(view: ThreadView, frame: ThreadFrame): ThreadView {
  if (frame.type === 'unqueued') return dropQueued(view, frame.queue_id)
  if (frame.type === 'turn_status') return foldStatus(view, frame)
  if (frame.type === 'turn_queued' || frame.seq === undefined || frame.seq <= view.last_seq) return view
  // The thread is read again.
  if (frame.type === 'path_changed') return { ...view, last_seq: frame.seq, isStale: true }
  const { seq: last_seq, turn_id = '' } = frame
  const turn = view.turns.findLast(({ id }) => id === turn_id) ?? createTurn(turn_id)
  const next = { ...view, last_seq }
  switch (frame.type) {
    case 'turn_started':
      return beginTurn(next, turn, frame)
    case 'hitl_required':
      return { ...next, pending: frame }
    case 'hitl_resolved':
      return { ...replaceTurn(next, resolve(turn, view, frame)), pending: null }
    case 'done':
    case 'error':
      return endTurn(next, turn, frame)
    default:
      return replaceTurn(next, foldLive(foldMessage(turn, frame), frame))
  }
}

/** Removes a message that is no longer queued. */
export const dropQueued = (view: ThreadView, queue_id: string): ThreadView => ({
  ...view,
  queued: view.queued.filter((waiting) => waiting.queue_id !== queue_id),
})

function foldStatus(view: ThreadView, { queued }: SentFrame<'turn_status'>): ThreadView {
  if (queued.length === 0 && view.queued.length === 0) return view
  const started = new Set(view.turns.map(({ id }) => id))
  const waiting = queued.filter(({ queue_id }) => !started.has(queue_id))
  return {
    ...view,
    queued: waiting.map((one) => ({
      ...view.queued.find(({ queue_id }) => queue_id === one.queue_id),
      ...one,
    })),
  }
}

/** Replaces a turn, which is nearly always the last one. */
function replaceTurn(view: ThreadView, turn: Turn): ThreadView {
  const index = view.turns.findLastIndex(({ id }) => id === turn.id)
  return { ...view, turns: index < 0 ? [...view.turns, turn] : view.turns.with(index, turn) }
}

function beginTurn(view: ThreadView, turn: Turn, frame: SentFrame<'turn_started'>): ThreadView {
  const { message_id, turn_id, client_message_id, after_message_id } = frame
  if (message_id === after_message_id) return beginAnswer(view, turn, frame)
  const isSame = (message: { client_message_id?: string }) =>
    client_message_id !== undefined && message.client_message_id === client_message_id
  const waiting = view.queued.find((message) => message.queue_id === turn_id)
  const content = (view.outgoing.find(isSame) ?? waiting)?.content
  const message: Message = {
    id: message_id,
    role: 'user',
    content: [...(content ?? (waiting ? [{ type: 'text' as const, text: waiting.text }] : []))],
    timestamp: Date.now(),
    turn_id,
    status: 'complete',
    ...(content ? {} : { isUnread: true }),
  }
  const { view: cut, dropped } = cutAfter(view, after_message_id)
  const versions = toVersions(dropped, 'user')
  const own = { ...message, ...(versions && { versions: [...versions, message_id] }) }
  return {
    ...replaceTurn(dropQueued(cut, turn_id), { ...turn, messages: [own, ...turn.messages], is_seen: true }),
    outgoing: view.outgoing.filter((sent) => !isSame(sent)),
    active: turn_id,
  }
}

/** Begins a new version of an answer, below the message that it answers. */
function beginAnswer(
  view: ThreadView,
  turn: Turn,
  { message_id, turn_id, client_message_id }: SentFrame<'turn_started'>,
): ThreadView {
  const answered = view.turns.find(({ messages }) => messages.some(({ id }) => id === message_id))
  const { view: cut, dropped } = cutAfter(view, message_id)
  const question = cut.turns.at(-1)?.messages.at(-1)
  const answer_versions = toVersions(dropped, 'assistant', answered?.answer_versions)
  return {
    ...cut,
    turns: [
      ...cut.turns.slice(0, -1),
      {
        ...turn,
        messages: question ? [question] : [],
        is_seen: true,
        ...(answer_versions && { answer_versions }),
      },
    ],
    outgoing: view.outgoing.filter((sent) => sent.client_message_id !== client_message_id),
    active: turn_id,
    ...(question === undefined && { isStale: true }),
  }
}

/** Drops the messages that follow another one; null is the start of the thread. */
function cutAfter(
  view: ThreadView,
  message_id: string | null | undefined,
): { view: ThreadView; dropped: readonly Message[] } {
  if (message_id === undefined) return { view, dropped: [] }
  const messages = view.turns.flatMap((turn) => turn.messages)
  const last = messages.findIndex(({ id }) => id === message_id)
  // The message may be older than those that were read.
  const isMissing = last < 0 && (message_id !== null || view.older !== null) && messages.length > 0
  const dropped = messages.slice(last + 1)
  if (dropped.length === 0) return { view, dropped }
  const droppedIds = new Set(dropped.map(({ id }) => id))
  const turns = view.turns.flatMap((turn) => {
    const messages = turn.messages.filter(({ id }) => !droppedIds.has(id))
    if (messages.length === turn.messages.length) return [turn]
    return messages.length > 0 ? [{ ...turn, messages }] : []
  })
  return { view: { ...view, turns, ...(isMissing && { older: null, isStale: true }) }, dropped }
}

/** Returns the versions of a message whose newest one was dropped; `earlier` are those that it does not name itself. */
function toVersions(
  [replaced]: readonly Message[],
  role: Message['role'],
  earlier: readonly string[] = [],
): string[] | undefined {
  if (replaced?.role !== role) return undefined
  return replaced.versions ?? [...earlier, replaced.id]
}

/** Notes how requests were decided, and shows arguments that a person has changed in their calls. */
function resolve(
  turn: Turn,
  { pending }: ThreadView,
  { decisions, outcome }: SentFrame<'hitl_resolved'>,
): Turn {
  const requests = pending?.action_requests ?? []
  const decided = requests.map(({ id }, index) => [id, decisions[index]?.type ?? outcome])
  let messages = turn.messages
  for (const [index, decision] of decisions.entries()) {
    const id = requests[index]?.id
    if (decision.type !== 'edit') continue
    const isMeant = (message: Message) =>
      message.content.some((block) => block.type === 'tool_use' && block.id === id)
    // Some upstreams use the ids of calls again in each answer: the newest call is meant.
    const at = messages.findLastIndex(isMeant)
    const message = messages[at]
    if (!message) continue
    const content = message.content.map((block) =>
      block.type === 'tool_use' && block.id === id ? { ...block, input: decision.edited_action.args } : block,
    )
    messages = messages.with(at, { ...message, content })
  }
  return { ...turn, messages, decisions: { ...turn.decisions, ...Object.fromEntries(decided) } }
}

/** Shows the end of a turn on its last reply; a turn that failed or was stopped before any has an empty one. */
function endTurn(view: ThreadView, turn: Turn, frame: SentFrame<'done'> | SentFrame<'error'>): ThreadView {
  let messages = turn.messages.map((message) =>
    message.status === 'streaming' ? { ...message, status: 'complete' as const } : message,
  )
  const isFailed = frame.type === 'error'
  const at = messages.findLastIndex(({ role }) => role === 'assistant')
  if (at >= 0 || isFailed || frame.stop_reason === 'stopped') {
    const reply: Message = messages[at] ?? {
      id: frame.message_id ?? `end of ${turn.id}`,
      role: 'assistant',
      content: [],
      timestamp: Date.now(),
      turn_id: turn.id,
      status: 'complete',
    }
    const { code = '', message = '', request_id } = isFailed ? frame : {}
    const error = { code, message, ...(request_id === undefined ? {} : { request_id }) }
    const ended: Message = isFailed
      ? { ...reply, status: 'failed', error }
      : {
          ...reply,
          stop_reason: frame.stop_reason,
          ...(frame.stop_reason === 'stopped' && { status: 'stopped' as const }),
        }
    messages = at < 0 ? [...messages, ended] : messages.with(at, ended)
  }
  // The message of a stopped delegation may be empty, because only its usage was written.
  messages = messages.filter(
    ({ role, content, artifacts, sources }) => role !== 'tool' || content.length > 0 || artifacts || sources,
  )
  const ended = { ...turn, messages, ended_at: Date.now() }
  return {
    ...replaceTurn(view, ended),
    active: undefined,
    pending: null,
    artifacts: addNewest(
      view.artifacts,
      messages.flatMap(({ artifacts = [] }) => artifacts),
      'path',
    ),
    sources: addNewest(
      view.sources,
      messages.flatMap(({ sources = [] }) => sources),
      'id',
    ),
  }
}

const IDLE: LiveCall = { progress: '', steps: [] }
/** The most characters of the progress of one call that are kept. */
const MAX_PROGRESS = 20_000

/** Notes what history does not contain: the progress of calls, and the calls of delegated tasks. */
function foldLive(turn: Turn, frame: ThreadFrame): Turn {
  const change = (id: string, work: (call: LiveCall) => Partial<LiveCall>): Turn => {
    const call = turn.live[id] ?? IDLE
    return { ...turn, live: { ...turn.live, [id]: { ...call, ...work(call) } } }
  }
  if (frame.type === 'tool_progress') {
    // The progress of a delegated call is part of the progress of the call that delegated it.
    return change(frame.parent_tool_call_id ?? frame.tool_call_id, ({ progress }) => ({
      progress: (progress + frame.content).slice(-MAX_PROGRESS),
    }))
  }
  if (frame.type === 'tool_call' && frame.parent_tool_call_id !== undefined) {
    const { tool_call_id: id, parent_tool_call_id: parent, name, input } = frame
    return change(parent, ({ steps }) => ({ steps: [...steps, { id, parent, name, input }] }))
  }
  if (frame.type === 'tool_result' && frame.parent_tool_call_id !== undefined) {
    const { tool_call_id: id, parent_tool_call_id: parent, name, output, is_error, sources } = frame
    return change(parent, ({ steps }) => {
      const at = steps.findLastIndex((step) => step.id === id)
      // The call may have begun before the page was loaded.
      const step = {
        ...(steps[at] ?? { id, parent, name, input: undefined }),
        output,
        is_error,
        ...(sources && { sources }),
      }
      return { steps: at < 0 ? [...steps, step] : steps.with(at, step) }
    })
  }
  return turn
}
