import { AppError } from '#kernel'
import type { EarlierStep } from '../chat/threads/earlier-turns.ts'

/** A part of a user's message: text, or a file as a `data:` URL. */
export type UserPart =
  | { type: 'text'; text: string }
  | { type: 'file'; data_url: string; filename?: string; path: string }

/** A message of a request, in either of the two forms of OpenAI's API. `path` is that of its place in the body. */
export type RequestMessage = { path: string } & (
  | { role: 'system'; text: string }
  | { role: 'user'; parts: UserPart[] }
  | { role: 'assistant'; text: string; calls: EarlierStep['calls'] }
  | { role: 'tool'; id: string; output: string }
)

/** The conversation in a request: its instructions, the exchanges before its last message, and that message. */
export interface Conversation {
  instructions: string
  turns: { parts: UserPart[]; steps: EarlierStep[] }[]
  parts: UserPart[]
}

/** Creates the error that refuses a part of a request. */
export const unusable = (path: string, reason: string): AppError =>
  new AppError('CONTENT_UNSUPPORTED', { path, reason })

/**
 * Divides messages into instructions and exchanges. Throws CONTENT_UNSUPPORTED unless the last message is a user's, and
 * if a result belongs to no call.
 */
export function toConversation(messages: readonly RequestMessage[]): Conversation {
  const instructions: string[] = []
  const opening: string[] = []
  const turns: Conversation['turns'] = []
  const open = new Map<string, { step: EarlierStep; name: string }>()

  for (const message of messages) {
    const turn = turns.at(-1)
    switch (message.role) {
      case 'system':
        if (message.text !== '') instructions.push(message.text)
        break
      case 'user':
        turns.push({ parts: message.parts, steps: [] })
        break
      case 'assistant': {
        const { text, calls } = message
        const step: EarlierStep = { text, calls, results: [] }
        for (const { id, name } of calls) open.set(id, { step, name })
        // Not every upstream accepts a conversation that does not begin with a user.
        if (turn) turn.steps.push(step)
        else if (text !== '') opening.push(text)
        break
      }
      case 'tool': {
        const { id, output } = message
        const call = open.get(id)
        if (!call) throw unusable(message.path, 'no call before it has this id')
        open.delete(id)
        call.step.results.push({ id, name: call.name, output })
      }
    }
  }
  const last = turns.pop()
  if (!last || last.steps.length > 0)
    throw unusable(messages.at(-1)?.path ?? '/', 'the last message must be from the user')
  if (opening.length > 0)
    instructions.push(`You began this conversation with these words:\n${opening.join('\n\n')}`)
  return { instructions: instructions.join('\n\n'), turns, parts: last.parts }
}

/** Returns all that the user says in a conversation as one message. */
export const joinParts = ({ turns, parts }: Conversation): UserPart[] => [
  ...turns.flatMap((turn) => turn.parts),
  ...parts,
]

/** Parses the arguments of a call; throws CONTENT_UNSUPPORTED if they are not JSON. */
export function parseCallArguments(text: string, path: string): unknown {
  try {
    return JSON.parse(text || '{}')
  } catch {
    throw unusable(path, 'the arguments are not JSON')
  }
}
