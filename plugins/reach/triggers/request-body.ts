import { AppError, parseJson } from '#plugin-api'

/** The media type of forms. */
const FORM = /^application\/x-www-form-urlencoded\b/i

/**
 * Reads the body of a verified request: JSON, a form with JSON in `payload`, or a form whose fields are texts; null if it
 * is empty. Throws BAD_JSON for anything else.
 */
export function readRequestBody(bytes: Uint8Array, media_type: string): unknown {
  const text = Buffer.from(bytes).toString('utf8').toWellFormed()
  if (text.trim() === '') return null
  if (!FORM.test(media_type)) return parse(text)
  const fields = new URLSearchParams(text)
  const payload = fields.get('payload')
  return payload === null ? Object.fromEntries(fields) : parse(payload)
}

function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    throw new AppError('BAD_JSON', {}, { cause: error })
  }
}
