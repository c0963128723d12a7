import type { ProviderConnection } from '#plugin-api'

/** The address of the API; Anthropic's own tools are told that of the host alone. */
export function addressOf({ base_url }: ProviderConnection): string {
  const address = base_url!.replace(/\/+$/, '')
  return new URL(address).pathname === '/' ? `${address}/v1` : address
}
