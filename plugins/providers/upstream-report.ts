import { APICallError, TypeValidationError } from '@ai-sdk/provider'
import type { UpstreamReport } from '#plugin-api'

/** Reads what the upstream says of a failure out of what its client library threw, or told within a stream. */
export function reportOf(error: unknown): UpstreamReport {
  const { status, headers = {}, body } = answerIn(error)
  const fields = errorIn(body)
  // AWS's front door writes it with a capital.
  const words =
    fields.message ??
    fields.Message ??
    (typeof body === 'string' ? body : (error as Error | undefined)?.message)
  return {
    ...(status !== undefined && { status }),
    headers,
    body,
    error: fields,
    code: textOf(fields.code),
    type: textOf(fields.type),
    message: textOf(words).trim(),
  }
}

/** What a stream reports is no Error, or one around an event that the library did not expect. */
function answerIn(error: unknown): { status?: number; headers?: Record<string, string>; body: unknown } {
  if (TypeValidationError.isInstance(error)) return { body: error.value }
  if (!(error instanceof Error)) return { body: error }
  if (!APICallError.isInstance(error)) {
    const { status } = error as { status?: unknown }
    return { ...(typeof status === 'number' && { status }), body: undefined }
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

/** As `error`, within `response`, in a list, or bare; some say only a text, as `error` or as `detail`. */
function errorIn(body: unknown): Fields {
  const said = Array.isArray(body) ? body[0] : body
  if (!isObject(said)) return {}
  const error = (isObject(said.response) ? said.response.error : undefined) ?? said.error
  if (isObject(error)) return error
  const words = [error, said.detail].find((text) => typeof text === 'string')
  return words === undefined ? said : { message: words }
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null

const textOf = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
