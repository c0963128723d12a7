import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Scheme } from './types.ts'

/** The most seconds between the time that a request was signed and now. */
const TOLERANCE_SECONDS = 300

/** The parts of a request from which its sender is known. */
export interface SignedRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>
  query: Readonly<Record<string, string>>
  /** The body as it came. */
  bytes: Uint8Array
}

/** Compares texts of any length in a time that says nothing about their content. */
function areEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

/** True if any of the texts is the expected one; all of them are compared. */
const includesEqual = (texts: readonly string[], expected: string): boolean =>
  texts.filter((text) => areEqual(text, expected)).length > 0

const isRecent = (timestamp: string, now: number): boolean =>
  /^\d{1,12}$/.test(timestamp) && Math.abs(now - Number(timestamp)) <= TOLERANCE_SECONDS

const headerOf = ({ headers }: SignedRequest, name: string): string => headers[name]?.toString() ?? ''

const hmac = (key: string | Buffer, ...parts: (string | Uint8Array)[]) => {
  const digest = createHmac('sha256', key)
  for (const part of parts) digest.update(part)
  return digest
}

/** The checks of each scheme; `now` is Unix seconds. */
const checks: Record<Scheme, (request: SignedRequest, secret: string, now: number) => boolean> = {
  token(request, secret) {
    const [, bearer = ''] = /^Bearer +(\S+)$/i.exec(headerOf(request, 'authorization')) ?? []
    return includesEqual([bearer, request.query.token ?? ''], secret)
  },
  github: (request, secret) =>
    areEqual(headerOf(request, 'x-hub-signature-256'), `sha256=${hmac(secret, request.bytes).digest('hex')}`),
  stripe(request, secret, now) {
    const parts = headerOf(request, 'stripe-signature')
      .split(',')
      .map((part) => part.trim().split('='))
    const valuesOf = (key: string) => parts.flatMap(([name, value]) => (name === key ? [value ?? ''] : []))
    const [timestamp = ''] = valuesOf('t')
    const expected = hmac(secret, `${timestamp}.`, request.bytes).digest('hex')
    return includesEqual(valuesOf('v1'), expected) && isRecent(timestamp, now)
  },
  standard(request, secret, now) {
    const timestamp = headerOf(request, 'webhook-timestamp')
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    const signed = `${headerOf(request, 'webhook-id')}.${timestamp}.`
    const expected = `v1,${hmac(key, signed, request.bytes).digest('base64')}`
    return (
      includesEqual(headerOf(request, 'webhook-signature').split(' '), expected) && isRecent(timestamp, now)
    )
  },
}

/** True if the sender of a request knows the secret; `now` is Unix seconds. */
export const isVerified = (
  scheme: Scheme,
  { secret, now, ...request }: SignedRequest & { secret: string; now: number },
): boolean => checks[scheme](request, secret, now)

/** Returns the name that the sender gave to a request; undefined if it gave none. */
export function readDeliveryId(scheme: Scheme, request: SignedRequest, body: unknown): string | undefined {
  const header = { github: 'x-github-delivery', standard: 'webhook-id', token: '', stripe: '' }[scheme]
  const { id } = Object(scheme === 'stripe' ? body : undefined) as { id?: unknown }
  const names = [header && headerOf(request, header), id, headerOf(request, 'idempotency-key')]
  return names.find((name): name is string => typeof name === 'string' && name !== '')?.slice(0, 256)
}

/** Returns a digest that names a request without a name. */
export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64url')
