import type { AppError, Issue } from '#kernel'
import type { ReadEvent } from '../chat/ledger/ledger-reader.ts'
import type { ExportHead } from '../trajectory/schemas.ts'
import { type ExportedPart, parse, refuse } from './exported-parts.ts'
import type { Cradle } from './manifest.ts'

/** From which length of its JSON on the size of an event as a document is looked at, in characters. */
const LARGE = 1024 * 1024
/** The most bytes of an event as a document, a little less than the database allows. */
const MOST_BYTES = 15 * 1024 * 1024

/** Checks the parts of an export, each by itself; throws BAD_EXPORT. */
export interface ExportCheck {
  head(part: ExportedPart): ExportHead
  event(part: ExportedPart): ReadEvent
}

/** Creates the check. */
export async function createExportCheck({
  exportFormat,
  threadArchive,
}: Pick<Cradle, 'exportFormat' | 'threadArchive'>): Promise<ExportCheck> {
  const { BSON } = await import('mongodb')

  return {
    head: ({ place, value }) => explaining(place, () => exportFormat.checkHead(value)),
    event({ place, value, size }) {
      const event = explaining(place, () => exportFormat.checkEvent(value))
      explaining(place, () => threadArchive.assertImportable(event))
      if (event.answer !== undefined) parse(event.answer, `the answer in ${place}`)
      if (size > LARGE && BSON.calculateObjectSize(event) > MOST_BYTES)
        throw refuse(place, `is larger than ${MOST_BYTES} bytes`)
      return event
    },
  }
}

/** Turns the first broken rule into a BAD_EXPORT that names its place in the file. */
function explaining<Value>(place: string, check: () => Value): Value {
  try {
    return check()
  } catch (cause) {
    const [issue] = (cause as AppError).details.issues as Issue[]
    const { path, message } = issue!
    throw refuse(place, `is not valid: ${path && `${path} `}${message}`, cause)
  }
}
