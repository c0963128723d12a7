import { withDeadline } from '#plugin-api'
import { SignInFailure } from '../sign-in-kind.ts'
import { readBody } from './answers.ts'

/** The time limit of one request. */
const TIMEOUT_MS = 30_000

/** The form of the requests of openid-client. */
type Init = { method: string; headers: Record<string, string>; body?: unknown; redirect?: string }

/**
 * Creates the `fetch` that openid-client uses for one call. It has a time limit, follows no redirects, and resolves
 * when the whole answer has been read. Throws SignInFailure for an unencrypted address whose host is not trusted.
 */
export function createOidcFetch(
  fetch: typeof globalThis.fetch,
  isTrustedHost: (hostname: string) => boolean,
  signal: AbortSignal,
) {
  return (address: string, { method, headers, body }: Init): Promise<Response> => {
    assertSecure(address, isTrustedHost)
    return withDeadline(TIMEOUT_MS, [signal], async (signal) => {
      const init = { method, headers, body: body as string | undefined, redirect: 'manual', signal } as const
      const answer = await fetch(address, init)
      const content = await readBody(answer)
      if (!content) throw new SignInFailure('exchange', 'The answer of the issuer is too long.')
      const hasBody = ![204, 205, 304].includes(answer.status)
      return new Response(hasBody ? content : null, { status: answer.status, headers: [...answer.headers] })
    })
  }
}

/** Throws SignInFailure unless secrets may be sent to the address. */
export function assertSecure(address: string, isTrustedHost: (hostname: string) => boolean): void {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol === 'https:') return
  if (url?.protocol === 'http:' && isTrustedHost(url.hostname)) return
  throw new SignInFailure('misconfigured', 'The issuer names an address that does not start with https://.')
}
