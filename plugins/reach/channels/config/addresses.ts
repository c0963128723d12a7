import { AppError, type ChannelKind, type ChannelSettings, placeOf } from '#plugin-api'

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

/** True if every address in a config leads to the same place as before. */
export const leadsToSamePlaces = (
  config: Config,
  storedConfig: Config,
  { addresses = [] }: Addresses,
): boolean => addresses.every((name) => placeOf(config[name]) === placeOf(storedConfig[name]))

const addressesIn = (config: Config, { addresses = [] }: Addresses): [name: string, address: string][] =>
  addresses.flatMap((name) => {
    const address = config[name]
    return typeof address === 'string' && address !== '' ? [[name, address]] : []
  })
