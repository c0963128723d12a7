import { readFile } from 'node:fs/promises'
import { AppError, deferSchema, type Issue } from '#plugin-api'
import type { ReadEvent } from '../chat/ledger/ledger-reader.ts'
import { type ExportHead, exportedEvent, exportHead } from './schemas.ts'

/** Checks the parts of an exported trajectory; both functions throw VALIDATION_FAILED. */
export const exportFormat = {
  checkHead: deferSchema<ExportHead>(exportHead, 'json'),
  checkEvent: deferSchema<ReadEvent>(exportedEvent, 'json'),
}

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

/** Reads an exported trajectory in either format and returns its turns in order. Throws BAD_EXPORT. */
export async function readExport(path: string): Promise<Map<string, ReadEvent[]>> {
  const { head, events } = parse(await readFile(path, 'utf8'))
  check(() => exportFormat.checkHead(head), 'the head')
  const turns = new Map<string, ReadEvent[]>()
  for (const [index, event] of events.entries()) {
    const checked = check(() => exportFormat.checkEvent(event), `event ${index + 1}`)
    const turn = turns.get(checked.turn_id)
    if (turn) turn.push(checked)
    else turns.set(checked.turn_id, [checked])
  }
  return turns
}

/** Splits a file into its parts: one JSON object with `events`, or a line for the head and one for each event. */
function parse(text: string): { head: unknown; events: unknown[] } {
  try {
    const { events, ...head } = JSON.parse(text) as { events?: unknown[] }
    if (Array.isArray(events)) return { head, events }
    return { head, events: [] }
  } catch {
    const [head, ...events] = text.split('\n').filter(Boolean)
    return { head: parseLine(head, 1), events: events.map((line, index) => parseLine(line, index + 2)) }
  }
}

function parseLine(line: string | undefined, number: number): unknown {
  try {
    return JSON.parse(line ?? '')
  } catch (cause) {
    throw new AppError('BAD_EXPORT', { reason: `line ${number} is not JSON` }, { cause })
  }
}

function check<Value>(validate: () => Value, what: string): Value {
  try {
    return validate()
  } catch (cause) {
    const issues = ((cause as AppError).details?.issues ?? []) as Issue[]
    const reasons = issues.map(({ path, message }) => `${path} ${message}`).join('; ')
    throw new AppError('BAD_EXPORT', { reason: `${what}: ${reasons}` }, { cause })
  }
}
