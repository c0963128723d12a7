import { withDeadline } from '#kernel'
import { SignInFailure } from '../sign-in-kind.ts'
import { readBody } from './response-body.ts'

/** Milliseconds for one request. */
const TIMEOUT = 30_000

/** How the library writes its requests. */
type Init = { method: string; headers: Record<string, string>; body?: unknown; redirect?: string }

/**
 * Makes the requests of one call: each is sent where `fetch` lets it, ends in time, and its answer is here whole when it is
 * given. Throws SignInFailure for an address that is not encrypted and whose host is not trusted.
 */
export function createOidcFetch(
  fetch: typeof globalThis.fetch,
  isTrustedHost: (hostname: string) => boolean,
  signal: AbortSignal,
) {
  return (address: string, { method, headers, body }: Init): Promise<Response> => {
    assertSecure(address, isTrustedHost)
    return withDeadline(TIMEOUT, [signal], async (signal) => {
      const init = { method, headers, body: body as string | undefined, redirect: 'manual', signal } as const
      const answer = await fetch(address, init)
      const content = await readBody(answer)
      if (!content) throw new SignInFailure('exchange', 'The issuer answers with too much.')
      const hasBody = ![204, 205, 304].includes(answer.status)
      return new Response(hasBody ? content : null, { status: answer.status, headers: [...answer.headers] })
    })
  }
}

/** Throws SignInFailure unless an address is one that a secret may be sent to. */
export function assertSecure(address: string, isTrustedHost: (hostname: string) => boolean): void {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol === 'https:') return
  if (url?.protocol === 'http:' && isTrustedHost(url.hostname)) return
  throw new SignInFailure('misconfigured', 'The issuer names an address that does not begin with https://.')
}
