import type { ThreadFrame } from '#client'
import { addNewest, type Block, type Message, type Turn, type Usage } from './thread-view.ts'

type Changed = Omit<Message, 'id' | 'role'>

/** Applies a frame to the message of a turn that shows it. */
export function foldMessage(turn: Turn, frame: ThreadFrame): Turn {
  if (!('message_id' in frame) || frame.message_id == null || frame.seq === undefined) return turn
  const { message_id, seq } = frame
  // The message of the delegating call shows the usage, files and sources of its task.
  const isDelegated = 'parent_tool_call_id' in frame && frame.parent_tool_call_id !== undefined
  const change = (role: Message['role'], work: (message: Message) => Partial<Changed>) =>
    changeMessage(turn, { message_id, seq, role }, work)

  switch (frame.type) {
    case 'content':
      return change('assistant', ({ content }) => ({ content: appendText(content, frame.content) }))
    case 'reasoning':
      return change('assistant', ({ content }) => ({ content: appendThought(content, frame.content) }))
    case 'tool_call': {
      if (isDelegated) return turn
      const call = { type: 'tool_use', id: frame.tool_call_id, name: frame.name, input: frame.input } as const
      return change('assistant', ({ content }) => ({ content: [...content, call] }))
    }
    case 'tool_result': {
      const { tool_call_id: id, name, output, is_error, sources } = frame
      if (isDelegated && !sources) return turn
      return change('tool', (message) => ({
        ...(sources ? { sources: [...addNewest(message.sources ?? [], sources, 'id')] } : {}),
        ...(isDelegated
          ? {}
          : {
              content: [...message.content, { type: 'tool_result', id, name, output, is_error }],
              status: 'complete',
            }),
      }))
    }
    case 'attachment': {
      const { path, filename, media_type, url } = frame
      // The address is null for files that cannot be read over the API.
      const artifact = { path, filename, media_type, url: url ?? '' }
      return change('tool', ({ artifacts = [] }) => ({ artifacts: [...artifacts, artifact] }))
    }
    case 'notice': {
      const { code, message, details } = frame
      const notice = { code, message, ...(details && { details }) }
      return change('assistant', ({ notices = [] }) => ({ notices: [...notices, notice] }))
    }
    case 'usage':
      return change(isDelegated ? 'tool' : 'assistant', ({ usage }) => ({
        usage: addUsage(usage, frame.usage),
        model: frame.model,
      }))
    default:
      return turn
  }
}

/** Changes a message of a turn, or begins it; a message that contains the frame already stays as it is. */
function changeMessage(
  turn: Turn,
  { message_id, seq, role }: { message_id: string; seq: number; role: Message['role'] },
  work: (message: Message) => Partial<Changed>,
): Turn {
  const at = turn.messages.findLastIndex(({ id }) => id === message_id)
  const message: Message = turn.messages[at] ?? {
    id: message_id,
    role,
    content: [],
    timestamp: Date.now(),
    turn_id: turn.id,
    status: 'streaming',
  }
  if ((message.read_at ?? 0) >= seq) return turn
  const changed = { ...message, ...work(message) }
  return { ...turn, messages: at < 0 ? [...turn.messages, changed] : turn.messages.with(at, changed) }
}

function appendText(content: readonly Block[], text: string): Block[] {
  const last = content.at(-1)
  return last?.type === 'text'
    ? [...content.slice(0, -1), { type: 'text', text: last.text + text }]
    : [...content, { type: 'text', text }]
}

function appendThought(content: readonly Block[], thinking: string): Block[] {
  const last = content.at(-1)
  return last?.type === 'thinking'
    ? [...content.slice(0, -1), { type: 'thinking', thinking: last.thinking + thinking }]
    : [...content, { type: 'thinking', thinking }]
}

export function addUsage(sum: Usage | undefined, spent: Usage): Usage {
  if (!sum) return spent
  const { is_estimated = false, cost, ...counts } = spent
  const total: Usage = {
    ...sum,
    ...((sum.is_estimated || is_estimated) && { is_estimated: true }),
    cost: sum.cost && cost ? { ...cost, amount: sum.cost.amount + cost.amount } : (cost ?? sum.cost ?? null),
  }
  for (const [name, count] of Object.entries(counts) as [keyof typeof counts, number][])
    total[name] = (total[name] ?? 0) + count
  return total
}
