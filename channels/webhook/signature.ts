import { createHmac, timingSafeEqual } from 'node:crypto'

/** Allowed difference to the clock of the other side, in seconds. */
const TOLERANCE_SECONDS = 300

/** Creates the headers of a signed body: the HMAC-SHA256 of `<timestamp>.<body>` in hex, and the Unix timestamp. */
export function createSignature(secret: string, body: string | Uint8Array, now = Date.now()) {
  const timestamp = String(Math.floor(now / 1000))
  return { 'x-timestamp': timestamp, 'x-signature': `v1=${computeDigest(secret, timestamp, body)}` }
}

/** True if a body was signed recently with this secret. */
export function isSigned(
  secret: string,
  body: Uint8Array,
  headers: Readonly<Record<string, string | undefined>>,
  now = Date.now(),
): boolean {
  const { 'x-timestamp': timestamp = '', 'x-signature': signature = '' } = headers
  if (!/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(now / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false
  const expected = Buffer.from(`v1=${computeDigest(secret, timestamp, body)}`)
  const actual = Buffer.from(signature)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

const computeDigest = (secret: string, timestamp: string, body: string | Uint8Array) =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
