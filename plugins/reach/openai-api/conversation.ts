import { AppError } from '#plugin-api'
import type { EarlierStep } from '../../conversations/chat/threads/earlier-turns.ts'

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

/**
 * The conversation in a request: its instructions, the exchanges before the last message of the user, that message, and
 * the steps that followed it, which end with results.
 */
export interface Conversation {
  instructions: string
  turns: { parts: UserPart[]; steps: EarlierStep[] }[]
  parts: UserPart[]
  steps: EarlierStep[]
}

/** Creates the error that refuses a part of a request. */
export const unusable = (path: string, reason: string): AppError =>
  new AppError('CONTENT_UNSUPPORTED', { path, reason })

/**
 * Divides messages into instructions and exchanges. Throws CONTENT_UNSUPPORTED unless the last message is a user's or a
 * result, and if a result belongs to no call; throws CALLS_UNANSWERED if only some of the last calls have results.
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
  const isAnswered = messages.at(-1)?.role === 'tool'
  if (!last || (last.steps.length > 0 && !isAnswered))
    throw unusable(
      messages.at(-1)?.path ?? '/',
      'the last message must be from the user, or a result of a call',
    )
  const unanswered = last.steps.at(-1)?.calls.filter(({ id }) => open.has(id)) ?? []
  if (unanswered.length > 0)
    throw new AppError('CALLS_UNANSWERED', { calls: unanswered.map(({ id }) => id).join(', ') })
  if (opening.length > 0)
    instructions.push(`You began this conversation with these words:\n${opening.join('\n\n')}`)
  return {
    instructions: instructions.join('\n\n'),
    turns,
    parts: last.parts,
    steps: joinSteps(last.steps),
  }
}

/** Leaves out calls without results, which would be carried out, and joins steps without calls to the next one. */
function joinSteps(steps: readonly EarlierStep[]): EarlierStep[] {
  const joined: EarlierStep[] = []
  let said: string[] = []
  for (const { text, calls, results } of steps) {
    if (text !== '') said.push(text)
    const answered = calls.filter(({ id }) => results.some((result) => result.id === id))
    if (answered.length === 0) continue
    joined.push({ text: said.join('\n\n'), calls: answered, results })
    said = []
  }
  return joined
}

/** The results in a request by the ids of their calls, and the ids of those at its end. */
export interface RequestResults {
  byCall: ReadonlyMap<string, string>
  last: readonly string[]
}

/** Returns the results in a request; undefined if it does not end with results. */
export function readResults(messages: readonly RequestMessage[]): RequestResults | undefined {
  const spoken = messages.filter(({ role }) => role !== 'system')
  const results = spoken.flatMap((message) => (message.role === 'tool' ? [message] : []))
  const start = spoken.findLastIndex(({ role }) => role !== 'tool') + 1
  const last = spoken.slice(start).flatMap((message) => (message.role === 'tool' ? [message.id] : []))
  if (last.length === 0) return undefined
  return { byCall: new Map(results.map(({ id, output }) => [id, output])), last }
}

/** Joins the system messages of a request. */
export const readInstructions = (messages: readonly RequestMessage[]): string =>
  messages
    .flatMap((message) => (message.role === 'system' && message.text !== '' ? [message.text] : []))
    .join('\n\n')

/** Returns all that the user says in a conversation as one message. */
export const joinParts = ({ turns, parts }: Conversation): UserPart[] => [
  ...turns.flatMap((turn) => turn.parts),
  ...parts,
]

/** Parses the arguments of a call; if they are not JSON, returns them as the model wrote them. */
export function parseArguments(input: string): unknown {
  try {
    return JSON.parse(input || '{}')
  } catch {
    return { text: input }
  }
}
