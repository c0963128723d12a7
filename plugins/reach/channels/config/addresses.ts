import { AppError, MASK } from '#kernel'
import type { ChannelKind, ChannelSettings } from '#plugin-api'
import { placeOf, secretsElsewhere } from '#toolbox'
import type { KnownKind } from './kinds.ts'

/** The schema of a platform's address: a URL of any scheme. The pattern excludes `host:port`, which parses as a URL. */
export const platformAddress = { type: 'string', format: 'url', pattern: '://' } as const

type Config = Readonly<Record<string, unknown>>
type Addresses = Pick<ChannelKind, 'addresses'>

/** Throws VALIDATION_FAILED if a config has an address that is no URL. */
export function assertUrls(config: Config, kind: Addresses): void {
  const wrong = addressesIn(config, kind).filter(([, address]) => !URL.canParse(address))
  if (wrong.length === 0) return
  const message = 'must match format "url"'
  const issues = wrong.map(([name]) => ({ path: `/config/${name}`, rule: 'format', message }))
  throw new AppError('VALIDATION_FAILED', { issues })
}

/** Throws ADDRESS_NOT_ALLOWED if a config has an address to which the server may not connect. */
export async function assertAddresses(
  config: Config,
  kind: Addresses,
  { assertAllowed }: Pick<ChannelSettings, 'assertAllowed'>,
): Promise<void> {
  for (const [, address] of addressesIn(config, kind)) await assertAllowed(address)
}

/** Throws VALIDATION_FAILED for the secrets that a config keeps though one of its addresses leads elsewhere than before. */
export function assertSecretsStay(
  { secret_fields, addresses = [] }: Addresses & Pick<KnownKind, 'secret_fields'>,
  { sent, config, before }: Record<'sent' | 'config' | 'before', Config>,
): void {
  if (addresses.every((name) => placeOf(config[name]) === placeOf(before[name]))) return
  const kept = secret_fields.filter(
    (name) =>
      typeof config[name] === 'string' && (sent[name] === undefined || String(sent[name]).startsWith(MASK)),
  )
  if (kept.length > 0) throw secretsElsewhere(kept.map((name) => `/config/${name}`))
}

const addressesIn = (config: Config, { addresses = [] }: Addresses): [name: string, address: string][] =>
  addresses.flatMap((name) => {
    const address = config[name]
    return typeof address === 'string' && address !== '' ? [[name, address]] : []
  })
