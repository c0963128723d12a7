import { addUsage } from '../store/fold-message.ts'
import type { Artifact, LiveCall, Source, Turn, Usage } from '../store/thread-view.ts'

/** A call of a tool with what is known about it. */
export interface Call {
  id: string
  name: string
  input: unknown
  output?: string
  is_error?: boolean
  /** The sources of the output. */
  sources?: readonly Source[]
  live?: LiveCall
  decision?: string
  /** The events with the whole call and its result, if only the beginning of both was read. */
  recorded?: readonly string[]
}

/** A part of a reply, in the order in which it was written. */
export type Part =
  | { type: 'text'; key: string; text: string; message_id: string }
  | { type: 'thought'; key: string; text: string }
  | { type: 'call'; key: string; call: Call }

/** Lists the parts of the reply of a turn; each call has its result. */
export function listParts({ messages, live, decisions }: Turn): Part[] {
  const parts: Part[] = []
  const open = new Map<string, Call>()
  for (const { id: message_id, role, content, sources = [] } of messages) {
    if (role === 'user') continue
    for (const [index, block] of content.entries()) {
      const key = `${message_id}.${index}`
      if (block.type === 'text') parts.push({ type: 'text', key, text: block.text, message_id })
      else if (block.type === 'thinking') parts.push({ type: 'thought', key, text: block.thinking })
      else if (block.type === 'tool_use') {
        const { id, name, input } = block
        const call: Call = {
          id,
          name,
          input,
          ...(live[id] ? { live: live[id] } : {}),
          ...(decisions[id] ? { decision: decisions[id] } : {}),
        }
        // Some upstreams use the ids of calls again: a result belongs to the newest call.
        open.set(id, call)
        parts.push({ type: 'call', key, call })
      } else if (block.type === 'tool_result') {
        Object.assign(open.get(block.id) ?? {}, { output: block.output, is_error: block.is_error, sources })
      }
    }
  }
  return parts
}

/** The tools whose sources are the results of a search. */
const SEARCHES = ['web_search', 'search_knowledge']

/** The results of a search; undefined for other calls. */
export const listResults = ({ name, sources }: Call) => (SEARCHES.includes(name) ? sources : undefined)

/** The files that a turn made, each once. */
export const listArtifacts = ({ messages }: Turn): Artifact[] => [
  ...new Map(messages.flatMap(({ artifacts = [] }) => artifacts).map((file) => [file.path, file])).values(),
]

/** The tokens and the cost of a turn; undefined before its first model call has ended. */
export const sumUsage = ({ messages }: Turn): Usage | undefined =>
  messages.reduce<Usage | undefined>((sum, { usage }) => (usage ? addUsage(sum, usage) : sum), undefined)
