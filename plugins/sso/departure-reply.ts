import { reply } from '#kernel'
import { keepState } from './attempt-cookie.ts'
import type { Departure } from './departures.ts'
import { refusalCode } from './entries.ts'
import type { Cradle } from './manifest.ts'
import type { EntryName } from './types.ts'

/** What sending somebody away can be refused with. */
export const departureErrors = (entry: EntryName) =>
  [
    refusalCode(entry, 'DISABLED'),
    refusalCode(entry, 'NO_PUBLIC_URL'),
    'ADDRESS_NOT_ALLOWED',
    'SSO_PROVIDER_UNREACHABLE',
    'RATE_LIMITED',
  ] as const

/** Sends somebody away with a cookie, by which the browser is known again. */
export async function sendAway(
  departure: Departure,
  { ip, signal }: { ip: string; signal: AbortSignal },
  { callLimit, signInDepartures, ssoAddresses }: Cradle,
) {
  await callLimit.consume('sso start', ip, 'many')
  const begun = await signInDepartures.begin(departure, signal)
  return reply(200, begun, { 'Set-Cookie': keepState(begun.state, ssoAddresses.isSecure) })
}
