import { withDeadline } from '#kernel'
import { SignInFailure } from '../sign-in-kind.ts'
import { readBody } from './response-body.ts'
import { isRecord, type WireObject } from './vendor-answer.ts'

/** What a kind of sign-in is made of: `endpoints` replaces addresses of the platform by name. */
export interface VendorParts {
  fetch: typeof globalThis.fetch
  endpoints: Readonly<Record<string, string>>
}

/** What a platform has answered, be it a refusal or not; no status is 500 or above. */
export interface Answer {
  status: number
  body: WireObject
}

/** What it is asked; a body is sent as JSON, and with one the request is a POST. */
export interface Question {
  headers?: Readonly<Record<string, string>>
  body?: object
}

/** Asks a platform. Throws SignInFailure where there is no answer, or none that is a JSON object of at most a megabyte. */
export type VendorRequest = (url: URL, signal: AbortSignal, question?: Question) => Promise<Answer>

/** Milliseconds that one call of a kind may take, with all that it asks. */
const TIMEOUT = 30_000

/** Makes what asks the platform of this name. */
export function createVendorRequest(fetch: typeof globalThis.fetch, name: string): VendorRequest {
  return async (url, signal, { headers, body } = {}) => {
    const response = await fetch(url, {
      method: body ? 'POST' : 'GET',
      headers: {
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json; charset=utf-8' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal,
    })
    const answer = parse((await readBody(response))?.toString() ?? '')
    if (response.status >= 500 || !answer)
      throw new SignInFailure(
        'exchange',
        `${name} answers with HTTP ${response.status} and nothing to go by.`,
      )
    return { status: response.status, body: answer }
  }
}

/** Does what one call of a kind comes to in the time it has; what ends it without an answer becomes a SignInFailure. */
export async function withinTime<Result>(
  name: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  try {
    return await withDeadline(TIMEOUT, [signal], work)
  } catch (error) {
    throw sortError(error, name, signal)
  }
}

/** An address at a platform; the base may have a path and slashes at its end. */
export function addressOf(base: string, path: string, query: Readonly<Record<string, string>> = {}): URL {
  const url = new URL(base.replace(/\/+$/, '') + path)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url
}

function parse(text: string): WireObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    // The text may have secrets in it, and so may the error that quotes it.
    return undefined
  }
}

/** Errors of a client may quote addresses, which are secrets at some platforms: only their code is told, and no cause. */
function sortError(error: unknown, name: string, signal: AbortSignal): unknown {
  if (error instanceof SignInFailure) return error
  if (signal.aborted && !isTimeout(signal.reason)) return signal.reason
  if (signal.aborted || isTimeout(error))
    return new SignInFailure('exchange', `${name} does not answer in time.`)
  const code = codeOf(error)
  if (code === 'ADDRESS_NOT_ALLOWED')
    return new SignInFailure(
      'misconfigured',
      `The address of ${name} is one that this server does not connect to.`,
    )
  return new SignInFailure('exchange', `${name} cannot be reached${code && ` (${code})`}.`)
}

const isTimeout = (reason: unknown) => (reason as Error | undefined)?.name === 'TimeoutError'

function codeOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } }
  const own = code ?? cause?.code
  return typeof own === 'string' && /^[A-Z_]{1,40}$/.test(own) ? own : ''
}
