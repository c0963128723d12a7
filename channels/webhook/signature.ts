import { createHmac, timingSafeEqual } from 'node:crypto'

/** How far the clock of the other side may be off, in seconds. */
const TOLERANCE_SECONDS = 300

/** The headers that sign a body: HMAC-SHA256 of `<timestamp>.<body>`, as hex, and the timestamp in Unix seconds. */
export function signatureHeaders(secret: string, body: string | Uint8Array, now = Date.now()) {
  const timestamp = String(Math.floor(now / 1000))
  return { 'x-timestamp': timestamp, 'x-signature': `v1=${digestOf(secret, timestamp, body)}` }
}

/** Whether a body was signed with this secret, lately. */
export function isSigned(
  secret: string,
  body: Uint8Array,
  headers: Readonly<Record<string, string | undefined>>,
  now = Date.now(),
): boolean {
  const { 'x-timestamp': timestamp = '', 'x-signature': signature = '' } = headers
  if (!/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(now / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false
  const expected = Buffer.from(`v1=${digestOf(secret, timestamp, body)}`)
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const digestOf = (secret: string, timestamp: string, body: string | Uint8Array) =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
