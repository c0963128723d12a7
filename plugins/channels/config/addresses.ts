import { AppError } from '#kernel'
import type { ChannelKind, ChannelSettings } from '#plugin-api'

/** The schema of a platform's address: a URL of any scheme. The pattern excludes `host:port`, which parses as a URL. */
export const platformAddress = { type: 'string', format: 'url', pattern: '://' } as const

/** Throws VALIDATION_FAILED or ADDRESS_NOT_ALLOWED if a config has an address to which the server may not connect. */
export async function assertAddresses(
  config: Readonly<Record<string, unknown>>,
  { addresses = [] }: Pick<ChannelKind, 'addresses'>,
  { assertAllowed }: Pick<ChannelSettings, 'assertAllowed'>,
): Promise<void> {
  for (const name of addresses) {
    const address = config[name]
    if (typeof address !== 'string' || address === '') continue
    if (!URL.canParse(address)) {
      const issue = { path: `/config/${name}`, rule: 'format', message: 'must match format "url"' }
      throw new AppError('VALIDATION_FAILED', { issues: [issue] })
    }
    await assertAllowed(address)
  }
}
