import { createTurn, type HistoryPage, type Message, type ThreadView, type Turn } from './thread-view.ts'

/** Begins a thread with its newest page of history; what was not sent yet stays. */
export function foldNewestPage({ outgoing, thread_id, ...view }: ThreadView, page: HistoryPage): ThreadView {
  const turns = toTurns(page.messages)
  const queuedIds = new Set(page.queued.flatMap(({ client_message_id = '' }) => client_message_id))
  return {
    thread_id,
    last_seq: page.last_seq,
    turns,
    active: page.turn_active ? turns.at(-1)?.id : undefined,
    pending: page.hitl_pending,
    queued: page.queued.map((waiting) => ({
      ...view.queued.find(({ queue_id }) => queue_id === waiting.queue_id),
      ...waiting,
    })),
    outgoing: outgoing.filter(({ client_message_id }) => !queuedIds.has(client_message_id)),
    artifacts: page.artifacts,
    sources: page.sources,
    older: page.next_cursor,
    status: page.history_loading ? 'rebuilding' : 'ready',
  }
}

/** Puts a page of older messages before those that were read. */
export function foldOlderPage(view: ThreadView, page: HistoryPage): ThreadView {
  const loadedIds = new Set(view.turns.flatMap(({ messages }) => messages.map(({ id }) => id)))
  // A running turn may have gone on since the newest page, and its frames come a second time.
  const read_at = page.last_seq > view.last_seq ? { read_at: page.last_seq } : {}
  const added = page.messages
    .filter(({ id }) => !loadedIds.has(id))
    .map((message) => ({ ...message, ...read_at }))
  const older = toTurns(added)
  const [first, ...rest] = view.turns
  const last = older.at(-1)
  const turns =
    first && last?.id === first.id
      ? [...older.slice(0, -1), { ...first, messages: [...last.messages, ...first.messages] }, ...rest]
      : [...older, ...view.turns]
  return { ...view, turns, older: page.next_cursor }
}

/** Fills in the messages that other pages sent, which no frame contains. */
export function foldSentElsewhere(view: ThreadView, page: HistoryPage): ThreadView {
  const read = new Map(page.messages.map((message) => [message.id, message]))
  const fill = ({ isUnread, ...message }: Message): Message =>
    isUnread ? { ...message, content: read.get(message.id)?.content ?? [] } : message
  const turns = view.turns.map((turn) =>
    turn.messages.some(({ isUnread }) => isUnread) ? { ...turn, messages: turn.messages.map(fill) } : turn,
  )
  return { ...view, turns }
}

/** Groups messages by their turns, which follow each other. */
function toTurns(messages: readonly Message[]): Turn[] {
  const turns: { id: string; messages: Message[] }[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    const isAnswer = message.role !== 'user' && last?.messages.every(({ role }) => role === 'user')
    if (last?.id === message.turn_id) last.messages.push(message)
    // A new version of an answer is of a later turn than the message that it answers.
    else if (isAnswer && last)
      turns.splice(-1, 1, { id: message.turn_id, messages: [...last.messages, message] })
    else turns.push({ id: message.turn_id, messages: [message] })
  }
  return turns.map(({ id, messages }) => createTurn(id, messages))
}
