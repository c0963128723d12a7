import type { ModelRequest } from './fixture-upstream.ts'
import { type RequestEntry, readEntries, readTools } from './request-entries.ts'
import { findToolFaults } from './schema-rules.ts'
import type { StreamFixture } from './stream-fixtures.ts'

/** The ids of calls that each protocol accepts. */
const IDS: Record<ModelRequest['wire'], RegExp> = {
  chat: /^.{1,40}$/,
  responses: /^.{1,64}$/,
  messages: /^[a-zA-Z0-9_-]{1,64}$/,
  converse: /^[a-zA-Z0-9_-]{1,64}$/,
  gemini: /^.+$/,
  ollama: /^.+$/,
}

/** Mistral's models, which take ids of nine letters or digits only. */
const MISTRAL = /mistral|mixtral|magistral|codestral|devstral|ministral|pixtral/i
const MISTRAL_ID = /^[a-zA-Z0-9]{9}$/

/** Returns everything that the vendor would refuse in a request. */
export function findRuleFaults(request: ModelRequest, fixture: StreamFixture): string[] {
  const { wire, body } = request
  const entries = readEntries(request)
  return [
    ...findOrderFaults(wire, entries, isContinued(fixture)),
    ...findPairFaults(entries),
    ...entries.flatMap((entry, index) =>
      findEntryFaults(wire, entry, body.model).map((fault) => `entry ${index} ${fault}`),
    ),
    ...findToolFaults(wire, readTools(request)),
    ...(wire === 'gemini' ? findSignatureFaults(request, fixture) : []),
    ...(wire === 'messages' ? findThinkingFaults(body) : []),
  ]
}

/** True if an answer of the fixture pauses, and is sent back as the last message to be continued. */
const isContinued = ({ turns }: StreamFixture) =>
  turns.some(({ answers }) => answers.some(({ body }) => body?.includes('pause_turn')))

/** Roles alternate, and the person or a tool has the last word. */
function findOrderFaults(
  wire: ModelRequest['wire'],
  entries: readonly RequestEntry[],
  mayContinue: boolean,
): string[] {
  const firstTurn = entries.findIndex(({ role }) => role !== 'system')
  const turns = entries.slice(firstTurn)
  const faults: string[] = []
  if (turns.some(({ role }) => role === 'system')) faults.push('a system message follows another one')
  if (turns[0]?.role !== 'user') faults.push(`the conversation begins with ${turns[0]?.role}`)
  if (turns.at(-1)?.role !== 'user' && !mayContinue)
    faults.push(`the conversation ends with ${turns.at(-1)?.role}`)
  // Items of the Responses API and contents of Gemini may follow each other.
  if (wire === 'responses' || wire === 'gemini') return faults
  for (const [index, { role, results }] of turns.entries()) {
    const previous = turns[index - 1]
    // Results and a question are two messages of a chat.
    const isQuestionAfterResults = previous && previous.results.length > 0 && results.length === 0
    if (previous?.role === role && !(isQuestionAfterResults && (wire === 'chat' || wire === 'ollama')))
      faults.push(`entries ${firstTurn + index - 1} and ${firstTurn + index} are both of ${role}`)
  }
  return faults
}

/** Each call has exactly one result, in the entry that follows it. */
function findPairFaults(entries: readonly RequestEntry[]): string[] {
  return entries.flatMap(({ calls, results }, index) => {
    const answered = [...(entries[index + 1]?.results ?? [])]
    const keys = calls.map(({ id, name }) => id ?? name)
    const faults: string[] = []
    for (const key of keys) {
      const at = answered.indexOf(key)
      if (at < 0) faults.push(`the call ${key} of entry ${index} has no result`)
      else answered.splice(at, 1)
    }
    if (keys.length > 0) faults.push(...answered.map((key) => `the result of ${key} has no call`))
    if (new Set(calls.flatMap(({ id }) => id ?? [])).size < calls.filter(({ id }) => id).length)
      faults.push(`entry ${index} has two calls with one id`)
    if (results.length > 0 && !entries[index - 1]?.calls.length)
      faults.push(`entry ${index} has results without calls`)
    return faults
  })
}

function findEntryFaults(
  wire: ModelRequest['wire'],
  { texts, calls, isEmpty }: RequestEntry,
  model = '',
): string[] {
  const faults: string[] = []
  if (isEmpty) faults.push('is empty')
  if ((wire === 'messages' || wire === 'converse') && texts.some((text) => text.trim() === ''))
    faults.push('has a text of white space')
  if (wire === 'gemini' && texts.includes('')) faults.push('has an empty text')
  const pattern = wire === 'chat' && MISTRAL.test(model) ? MISTRAL_ID : IDS[wire]
  for (const { id, name, input } of calls) {
    if (id !== undefined && !pattern.test(id)) faults.push(`has a call with the id ${id}`)
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      faults.push(`calls ${name} with ${JSON.stringify(input)}`)
  }
  return faults
}

/** From Gemini 3 on, the first call of each step of the current turn has a signature of the model. */
function findSignatureFaults({ path, body }: ModelRequest, { turns }: StreamFixture): string[] {
  const answers = turns.flatMap(({ answers }) => answers.flatMap(({ body = [] }) => body)).join('\n')
  const givenSignatures = new Set(
    [...answers.matchAll(/"thought_?[sS]ignature"\s*:\s*"([^"]+)"/g)].map(([, value]) => value),
  )
  // biome-ignore lint/suspicious/noExplicitAny: parts of a request
  const contents: { role?: string; parts?: any[] }[] = body.contents
  const signatures = contents.flatMap(({ parts = [] }) =>
    parts.flatMap(({ thoughtSignature = [] }) => thoughtSignature),
  )
  const corrupted = signatures.filter((value) => !givenSignatures.has(value) && value !== SKIPPED)
  const faults = corrupted.map((value) => `the signature ${value} is not of this model`)
  if (!/gemini-[3-9]/.test(path)) return faults
  const start = contents.findLastIndex(
    ({ role, parts = [] }) => role === 'user' && parts.some(({ functionResponse }) => !functionResponse),
  )
  for (const { parts = [] } of contents.slice(start)) {
    const call = parts.find(({ functionCall }) => functionCall)
    if (call && !call.thoughtSignature) faults.push(`the call of ${call.functionCall.name} has no signature`)
  }
  return faults
}

/** The signature that Google documents for calls of other models. */
const SKIPPED = 'skip_thought_signature_validator'

/** Thoughts of Claude are signed, and begin the answer whose calls the last message answers, if the model is asked to think. */
// biome-ignore lint/suspicious/noExplicitAny: the body of the Messages API
function findThinkingFaults({ model, messages, thinking }: any): string[] {
  const faults: string[] = []
  for (const [index, { content }] of messages.entries())
    for (const block of Array.isArray(content) ? content : [])
      if (block.type === 'thinking' && !block.signature && /claude/.test(model))
        faults.push(`a thought of entry ${index} has no signature`)
  const last = messages.findLast(({ role }: { role: string }) => role === 'assistant')?.content
  const isOpen = messages.at(-1).content.some?.(({ type }: { type: string }) => type === 'tool_result')
  if (thinking?.type === 'enabled' && isOpen && !/thinking$/.test(last[0].type))
    faults.push(`an answer with calls begins with ${last[0].type} while the model thinks`)
  return faults
}
