import { type AppError, compileSchema, type Issue, type TypeOf } from '#kernel'
import type { ReadEvent } from '../chat/ledger/ledger-reader.ts'
import { exportedEvent, exportHead } from '../trajectory/schemas.ts'
import { type ExportedPart, parse, refuse } from './exported-parts.ts'
import { frameSchemas, inputSchema, spanSchema } from './frame-schemas.ts'

/** From which length of its JSON on the size of an event as a document is looked at, in characters. */
const LARGE = 1024 * 1024
/** The most bytes of an event as a document, a little less than the database allows. */
const MOST_BYTES = 15 * 1024 * 1024

/** What an export says of its thread. */
export type ExportHead = TypeOf<typeof exportHead>

/** Checks the parts of an export, each by itself; throws BAD_EXPORT. */
export interface ExportCheck {
  head(part: ExportedPart): ExportHead
  event(part: ExportedPart): ReadEvent
}

/** Makes the check. */
export async function createExportCheck(): Promise<ExportCheck> {
  const { BSON } = await import('mongodb')
  const checkHead = compileSchema<ExportHead>(exportHead, 'json')
  const checkEvent = compileSchema<ReadEvent>(exportedEvent, 'json')
  const checkSpans = compileSchema(spanSchema, 'json')
  const checkInput = compileSchema(inputSchema, 'json')
  const checkFrame = new Map(
    Object.entries(frameSchemas).map(([type, schema]) => [type, compileSchema(schema, 'json')]),
  )

  return {
    head: ({ place, value }) => explaining(place, '', () => checkHead(value)),
    event({ place, value, size }) {
      const event = explaining(place, '', () => checkEvent(value))
      explaining(place, '/frame', () => checkFrame.get(event.type)!(event.frame))
      if (event.input) explaining(place, '/input', () => checkInput(event.input))
      explaining(place, '', () => checkSpans(event))
      if (event.answer !== undefined) parse(event.answer, `the answer in ${place}`)
      if (size > LARGE && BSON.calculateObjectSize(event) > MOST_BYTES)
        throw refuse(place, `is larger than ${MOST_BYTES} bytes`)
      return event
    },
  }
}

/** Says of what is not valid where in the file it stands. */
function explaining<Value>(place: string, path: string, check: () => Value): Value {
  try {
    return check()
  } catch (cause) {
    const [issue] = (cause as AppError).details.issues as Issue[]
    const where = path + issue!.path
    throw refuse(place, `is not valid: ${where && `${where} `}${issue!.message}`, cause)
  }
}
