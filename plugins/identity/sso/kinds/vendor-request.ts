import { withDeadline } from '#plugin-api'
import { SignInFailure } from '../sign-in-kind.ts'
import { isRecord, readBody, type WireObject } from './answers.ts'

/** The arguments of a platform's factory; `endpoints` replaces addresses of the platform by name. */
export interface VendorParts {
  fetch: typeof globalThis.fetch
  endpoints: Readonly<Record<string, string>>
}

/** An answer of a platform, which may be a refusal; its status is below 500. */
export interface Answer {
  status: number
  body: WireObject
}

/** The headers and body of a request; a body is sent as JSON and makes the request a POST. */
interface Question {
  headers?: Readonly<Record<string, string>>
  body?: object
}

/** Sends a request. Throws SignInFailure unless the answer is a JSON object of at most a megabyte. */
type VendorRequest = (url: URL, signal: AbortSignal, question?: Question) => Promise<Answer>

/** The time limit of one call of a kind, with all its requests. */
const TIMEOUT_MS = 30_000

/** Creates the function that sends requests to the named platform. */
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
        `${name} answers with HTTP ${response.status} and no usable content.`,
      )
    return { status: response.status, body: answer }
  }
}

/** Runs one call of a kind within its time limit; converts errors of the network to a SignInFailure. */
export async function runCall<Result>(
  name: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  try {
    return await withDeadline(TIMEOUT_MS, [signal], work)
  } catch (error) {
    throw explainError(error, name, signal)
  }
}

/** Builds an address at a platform; the base may have a path and trailing slashes. */
export function buildUrl(base: string, path: string, query: Readonly<Record<string, string>> = {}): URL {
  const url = new URL(base.replace(/\/+$/, '') + path)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url
}

function parse(text: string): WireObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    // The text may contain secrets, and so may an error that quotes it.
    return undefined
  }
}

/**
 * Explains an error by its code only: its message and cause may quote addresses, which hold secrets at some platforms.
 */
function explainError(error: unknown, name: string, signal: AbortSignal): unknown {
  if (error instanceof SignInFailure) return error
  if (signal.aborted && !isTimeout(signal.reason)) return signal.reason
  if (signal.aborted || isTimeout(error))
    return new SignInFailure('exchange', `${name} does not answer in time.`)
  const code = readErrorCode(error)
  if (code === 'ADDRESS_NOT_ALLOWED')
    return new SignInFailure('misconfigured', `The address of ${name} is not allowed.`)
  return new SignInFailure('exchange', `${name} cannot be reached${code && ` (${code})`}.`)
}

const isTimeout = (reason: unknown) => (reason as Error | undefined)?.name === 'TimeoutError'

function readErrorCode(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } }
  const own = code ?? cause?.code
  return typeof own === 'string' && /^[A-Z_]{1,40}$/.test(own) ? own : ''
}
