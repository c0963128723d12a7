import type { ReadEvent } from '../chat/ledger/ledger-reader.ts'
import type { ExportHead } from './schemas.ts'

/** Writes the head and each event as a line of JSON. */
export async function* toJsonLines(
  head: ExportHead,
  events: AsyncIterable<ReadEvent>,
): AsyncGenerator<string, void, void> {
  yield `${JSON.stringify(head)}\n`
  for await (const event of events) yield `${JSON.stringify(event)}\n`
}

/** Writes the head as one JSON object that contains the events. */
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
