import { applyFrame, type ClientMessage, differenceOf, openThread } from './chat-client.ts'
import { emptyPage } from './chat-comparison.ts'
import type { ModelRequest } from './fixture-upstream.ts'
import { findRuleFaults } from './next-request.ts'
import { findMissing, show, valueAt } from './partial-match.ts'
import type { TestFrame } from './socket.ts'
import type { Expectation } from './stream-fixtures.ts'
import { NEXT_REPLY, type PlayedFixture, type PlayedTurn } from './stream-stage.ts'

const textOf = (frames: readonly TestFrame[], type: string) =>
  frames.map((frame) => (frame.type === type ? frame.content : '')).join('')

const isPresent = <Value>(value: Value | undefined): value is Value => value !== undefined

/** Describes everything that differs from the expectations of a fixture, and each broken rule of its vendor. */
export function findFixtureFaults(played: PlayedFixture): string[] {
  const { fixture, turns, next, history } = played
  const ofTurns = turns.flatMap((turn, index) => {
    const { answers, expect = {} } = fixture.turns[index]!
    const expected = { requests: answers.length, ...expect }
    const { messages } = history[0]
    const faults = [...findTurnFaults(turn, expected), ...findHistoryFaults(turn, messages, expected)]
    return faults.map((fault) => `turn ${index}: ${fault}`)
  })
  const ofNext = next
    ? [
        ...findTurnFaults(next, { requests: 1, reply: NEXT_REPLY }),
        ...(fixture.next ? findSentFaults(next.requests, [fixture.next.sent ?? {}]) : []),
      ]
    : []
  return [
    ...ofTurns,
    ...ofNext.map((fault) => `the next turn: ${fault}`),
    ...findRequestFaults(played),
    ...findLedgerFaults(played),
  ]
}

/** Compares what the client and the upstream saw of a turn. */
function findTurnFaults({ frames, end, requests }: PlayedTurn, expect: Expectation): string[] {
  const of = (type: string) => frames.filter((frame) => frame.type === type)
  const { error, detail, stop_reason = error === undefined ? 'end' : undefined } = expect
  const faults: (string | undefined)[] = []
  const compare = (name: string, seen: unknown, expected: unknown) =>
    expected !== undefined && faults.push(findMissing(seen, expected, name))

  if (end.type === 'error' && end.code !== error) faults.push(`failed: ${JSON.stringify(end)}`)
  else if (end.type !== 'error' && error !== undefined) faults.push(`did not fail with ${error}`)
  else compare('stop_reason', end.stop_reason, stop_reason)
  if (
    detail !== undefined &&
    !JSON.stringify(end.details ?? {}).includes(JSON.stringify(detail).slice(1, -1))
  )
    faults.push(`"${detail}" is not in ${JSON.stringify(end)}`)
  compare('requests', requests.length, expect.requests)

  const content = of('content')
  const lastId = content.at(-1)?.message_id
  const reply = content.filter(({ message_id }) => message_id === lastId)
  if (expect.reply !== undefined && textOf(reply, 'content') !== expect.reply)
    faults.push(`the reply in the frames is ${show(textOf(reply, 'content'))}, not ${show(expect.reply)}`)
  if (expect.thoughts !== undefined && textOf(frames, 'reasoning') !== expect.thoughts)
    faults.push(
      `the thoughts in the frames are ${show(textOf(frames, 'reasoning'))}, not ${show(expect.thoughts)}`,
    )
  compare('calls', of('tool_call'), expect.calls)
  if (expect.calls) compare('the number of calls', of('tool_call').length, expect.calls.length)
  const results = expect.results?.map(({ output, ...result }) => ({
    ...result,
    ...(output !== undefined && { output: containing(output) }),
  }))
  compare('results', of('tool_result'), results)
  compare('usage', end.usage, expect.usage)
  const codes = of('notice').map(({ code }) => code)
  if (expect.notices && codes.join() !== expect.notices.join())
    faults.push(`the notices are ${show(codes)}, not ${show(expect.notices)}`)
  const types = of('attachment').map(({ media_type }) => media_type)
  if (expect.files && types.join() !== expect.files.join())
    faults.push(`the files are ${show(types)}, not ${show(expect.files)}`)
  return [...faults.filter(isPresent), ...findSentFaults(requests, expect.sent ?? [])]
}

/** A pattern that matches each text which contains these words. */
const containing = (words: string) => `/${words.replace(/[/\\^$.*+?()[\]{}|]/g, '\\$&')}/`

function findSentFaults(requests: readonly ModelRequest[], expected: readonly object[]): string[] {
  return expected.flatMap((wanted, index) => {
    const { absent = [], ...fields } = wanted as { absent?: string[] }
    const body = requests[index]?.body
    const present = absent.filter((path) => valueAt(body, path) !== undefined)
    return [
      findMissing(body, fields, `request ${index}`),
      ...present.map((path) => `request ${index} has ${path}: ${show(valueAt(body, path))}`),
    ].filter(isPresent)
  })
}

/** Compares the messages of a turn in the history. */
function findHistoryFaults(
  { end }: PlayedTurn,
  messages: readonly ClientMessage[],
  { reply, error, thoughts, notices, stop_reason = error === undefined ? 'end' : undefined }: Expectation,
): string[] {
  const answers = messages.filter(({ turn_id, role }) => turn_id === end.turn_id && role === 'assistant')
  const last = answers.at(-1)
  const blocks = answers.flatMap(({ content }) => content ?? [])
  const compare = (name: string, stored: unknown, expected: unknown) =>
    JSON.stringify(stored) === JSON.stringify(expected)
      ? undefined
      : `the history has the ${name} ${show(stored)}, not ${show(expected)}`
  const text = last?.content?.map((block) => (block.type === 'text' ? block.text : '')).join('')
  const thought = blocks.map((block) => (block.type === 'thinking' ? block.thinking : '')).join('')
  const codes = answers.flatMap(({ notices = [] }) => notices.map(({ code }) => code))
  return [
    reply === undefined ? undefined : compare('reply', text, reply),
    thoughts === undefined ? undefined : compare('thoughts', thought, thoughts),
    compare('error', last?.error?.code, error),
    stop_reason === undefined ? undefined : compare('stop reason', last?.stop_reason, stop_reason),
    notices === undefined ? undefined : compare('notices', codes, notices),
  ].filter(isPresent)
}

const turnsOf = ({ turns, next }: PlayedFixture) => (next ? [...turns, next] : turns)

/** Checks each request by the rules of its vendor. */
function findRequestFaults(played: PlayedFixture): string[] {
  const requests = turnsOf(played).flatMap(({ requests }) => requests)
  return requests.flatMap((request, index) =>
    findRuleFaults(request, played.fixture).map((fault) => `request ${index} breaks a rule: ${fault}`),
  )
}

/** Checks that the ledger holds each frame, and that frames and history describe the same thread. */
function findLedgerFaults(played: PlayedFixture): string[] {
  const { thread_id, history, events } = played
  const frames = turnsOf(played).flatMap(({ frames }) => frames)
  const types = new Map(events.map(({ seq, type }) => [seq, type]))
  const missing = frames.filter(({ seq, type }) => type !== 'tool_progress' && types.get(seq) !== type)
  const thread = openThread([emptyPage(thread_id)])
  for (const frame of frames) applyFrame(thread, frame)
  const difference = differenceOf(thread, history)
  return [
    ...missing.map((frame) => `the ledger lacks ${JSON.stringify(frame)}`),
    ...(difference === undefined ? [] : [`the frames differ from the history: ${difference}`]),
  ]
}

/** The most models that the report of usage names. */
const MAX_BUCKETS = 500

/** Compares the usage that the server has added up by model with the frames of all fixtures. */
export function findUsageFaults(played: readonly PlayedFixture[], buckets: readonly TestFrame[]): string[] {
  const reportedTotals = new Map(buckets.map(({ key, total_tokens }) => [key, total_tokens]))
  return played.flatMap((one) => {
    const turns = turnsOf(one)
    const frames = turns.flatMap(({ frames }) => frames.filter(({ type }) => type === 'usage'))
    const totals = new Map<string, number>()
    for (const { model, usage } of frames) totals.set(model, (totals.get(model) ?? 0) + usage.total_tokens)
    // A call that failed has no frame.
    const isWhole = frames.length === turns.reduce((sum, { requests }) => sum + requests.length, 0)
    return [...totals].flatMap(([model, total]) => {
      if (!reportedTotals.has(model) && buckets.length >= MAX_BUCKETS) return []
      const sum = reportedTotals.get(model) ?? 0
      return sum === total || (!isWhole && sum > total)
        ? []
        : [`${one.fixture.name}: frames count ${total}, the usage ${sum}`]
    })
  })
}
