import type { Block, MessageDocument } from '../documents.ts'
import { isTerminal, type LedgerEvent } from '../ledger/ledger-event.ts'
import { projectTurn } from '../ledger/projection.ts'
import { type RecordedStep, readRecordedLoop } from '../loop/recorded-loop.ts'

/** The outcome of a turn without what differs between runs: ids, times and the order of parallel results. */
export interface TurnOutcome {
  messages: unknown[]
  steps: unknown[]
  pauses: unknown[]
  end: unknown
}

/** Extracts the outcome of a turn from its events. */
export function toOutcome(events: readonly LedgerEvent[]): TurnOutcome {
  return {
    messages: inCallOrder(projectTurn(events).filter(isWhole)).map(withoutIds),
    steps: readRecordedLoop(events).map(describeStep),
    pauses: events.flatMap((event) =>
      event.type === 'hitl_required'
        ? [
            {
              requests: sorted(event.frame.action_requests, ({ id }) => id),
              asked: event.frame.review_configs.length,
            },
          ]
        : [],
    ),
    end: describeEnd(events.at(-1)),
  }
}

const withoutIds = ({
  _id,
  thread_id,
  position,
  timestamp,
  turn_id,
  artifacts,
  sources,
  // The error's message is not compared; its code is part of the end.
  error,
  ...message
}: MessageDocument) => ({
  ...message,
  // Tasks that are delegated in parallel make files and cite sources in any order.
  ...(artifacts && { artifacts: sorted(artifacts, JSON.stringify) }),
  ...(sources && { sources: sorted(sources, JSON.stringify) }),
})

/** Output of a call without a result is not compared, because its call is unknown. */
const isWhole = ({ role, content }: MessageDocument): boolean => role !== 'tool' || content.length > 0

/** Puts the results of parallel calls in the order of the calls. */
function inCallOrder(messages: MessageDocument[]): MessageDocument[] {
  const order = new Map<string, number>()
  const calls = messages.flatMap(({ content }) => content.filter((block) => block.type === 'tool_use'))
  for (const [index, { id }] of calls.entries()) order.set(id, index)
  const rank = ({ content }: MessageDocument) => order.get(resultIn(content)?.id ?? '') ?? -1
  const groups: MessageDocument[][] = []
  for (const message of messages) {
    if (message.role !== 'tool' || groups.length === 0) groups.push([message])
    else groups.at(-1)!.push(message)
  }
  return groups.flatMap(([first, ...results]) => [first!, ...results.sort((a, b) => rank(a) - rank(b))])
}

const resultIn = (content: readonly Block[]) => content.find((block) => block.type === 'tool_result')

const describeStep = ({ content, ending, calls }: RecordedStep): unknown => ({
  content,
  ending,
  calls: sorted([...calls], ([id]) => id).map(([id, { result, delegated }]) => ({
    id,
    result,
    delegated: delegated.map(describeStep),
  })),
})

function describeEnd(last: LedgerEvent | undefined): unknown {
  if (!last || !isTerminal(last)) return null
  if (last.type === 'done')
    return { type: 'done', stop_reason: last.frame.stop_reason, usage: last.frame.usage }
  return last.type === 'error' ? { type: 'error', code: last.frame.code } : null
}

const sorted = <Item>(items: readonly Item[], key: (item: Item) => string): Item[] =>
  [...items].sort((a, b) => (key(a) < key(b) ? -1 : 1))
