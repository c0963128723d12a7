import type { AppError, Issue } from '#plugin-api'
import type { ReadEvent } from '../chat/ledger/ledger-reader.ts'
import type { ExportHead } from '../trajectory/schemas.ts'
import { type ExportedPart, parseJson, refuse } from './exported-parts.ts'
import type { Cradle } from './manifest.ts'

/** The length of an event's JSON from which its size as a document is checked, in characters. */
const CHECKED_FROM_CHARS = 1024 * 1024
/** The most bytes of an event as a document, a little less than the database allows. */
const MAX_DOCUMENT_BYTES = 15 * 1024 * 1024

/** Checks the parts of an export one by one; throws BAD_EXPORT. */
interface ExportCheck {
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
    head: ({ position, value }) => withPosition(position, () => exportFormat.checkHead(value)),
    event({ position, value, size }) {
      const event = withPosition(position, () => exportFormat.checkEvent(value))
      withPosition(position, () => threadArchive.assertImportable(event))
      if (event.answer !== undefined) parseJson(event.answer, `the answer in ${position}`)
      if (size > CHECKED_FROM_CHARS && BSON.calculateObjectSize(event) > MAX_DOCUMENT_BYTES)
        throw refuse(position, `is larger than ${MAX_DOCUMENT_BYTES} bytes`)
      return event
    },
  }
}

/** Turns the first broken rule into a BAD_EXPORT that names its place in the file. */
function withPosition<Value>(position: string, check: () => Value): Value {
  try {
    return check()
  } catch (cause) {
    const [issue] = (cause as AppError).details.issues as Issue[]
    const { path, message } = issue!
    throw refuse(position, `is not valid: ${path && `${path} `}${message}`, cause)
  }
}
