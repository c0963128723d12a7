import type { ReadEvent } from '../chat/ledger/ledger-reader.ts'
import type { ExportHead } from './schemas.ts'

/** A line for the head and one for each event. */
export async function* toJsonLines(
  head: ExportHead,
  events: AsyncIterable<ReadEvent>,
): AsyncGenerator<string, void, void> {
  yield `${JSON.stringify(head)}\n`
  for await (const event of events) yield `${JSON.stringify(event)}\n`
}

/** The head as an object that holds the events. */
export async function* toJson(
  head: ExportHead,
  events: AsyncIterable<ReadEvent>,
): AsyncGenerator<string, void, void> {
  yield `${JSON.stringify(head).slice(0, -1)},"events":[`
  let separator = '\n'
  for await (const event of events) {
    yield `${separator}${JSON.stringify(event)}`
    separator = ',\n'
  }
  yield '\n]}\n'
}
