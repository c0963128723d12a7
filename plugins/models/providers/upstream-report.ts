import { APICallError, TypeValidationError } from '@ai-sdk/provider'
import type { UpstreamReport } from '#plugin-api'

/** Reads the upstream's report of a failure from an error that its client library threw, or reported in a stream. */
export function readReport(error: unknown): UpstreamReport {
  const { status, headers = {}, body } = readAnswer(error)
  const fields = readError(body)
  // The gateway of AWS capitalizes the field.
  const message =
    fields.message ??
    fields.Message ??
    (typeof body === 'string' ? body : (error as Error | undefined)?.message)
  return {
    ...(status !== undefined && { status }),
    headers,
    body,
    error: fields,
    code: toText(fields.code),
    type: toText(fields.type),
    message: toText(message).trim(),
  }
}

/** Reads an answer; the error of a stream is not an Error, or an Error with an event that the library did not expect. */
function readAnswer(error: unknown): { status?: number; headers?: Record<string, string>; body: unknown } {
  if (TypeValidationError.isInstance(error)) return { body: error.value }
  if (!(error instanceof Error)) return { body: error }
  if (!APICallError.isInstance(error)) {
    const { status } = error as { status?: unknown }
    if (typeof status !== 'number') return { body: undefined }
    // A kind without a client library may throw the body of the answer as the message.
    const body = parse(error.message)
    return { status, body: isObject(body) ? body : undefined }
  }
  const { statusCode: status, responseHeaders: headers, data, responseBody } = error
  return { status, headers, body: data ?? parse(responseBody) }
}

function parse(text: string | undefined): unknown {
  try {
    return text && JSON.parse(text)
  } catch {
    // Gateways answer in HTML or plain text.
    return text
  }
}

type Fields = Record<string, unknown>

/** Finds the error in a body: as `error`, in `response`, in a list, or bare; or just a text, as `error` or `detail`. */
function readError(body: unknown): Fields {
  const fields = Array.isArray(body) ? body[0] : body
  if (!isObject(fields)) return {}
  const error = (isObject(fields.response) ? fields.response.error : undefined) ?? fields.error
  if (isObject(error)) return error
  const message = [error, fields.detail].find((text) => typeof text === 'string')
  return message === undefined ? fields : { message }
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null

const toText = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
