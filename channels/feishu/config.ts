import type { ChannelSettings } from '#plugin-api'

/** Which of the two platforms an app belongs to. */
export type Brand = 'feishu' | 'lark'

/** A channel's config, valid by the schema. */
export interface FeishuConfig {
  app_id: string
  app_secret: string
  brand?: Brand
  encrypt_key?: string
  verification_token?: string
}

/** Lark's hosts, by Feishu's. */
const OF_LARK: Record<string, string> = {
  'https://open.feishu.cn': 'https://open.larksuite.com',
  'https://accounts.feishu.cn': 'https://accounts.larksuite.com',
}

/** An endpoint as a brand has it; an address that the server's settings name counts for both. */
export function endpointOf(address: string, brand: Brand): string {
  return (brand === 'lark' && OF_LARK[address]) || address
}

/** The config, and the address of the API that goes with its brand. */
export function readSettings({ config, endpoints }: ChannelSettings): {
  config: FeishuConfig
  domain: string
} {
  const known = config as unknown as FeishuConfig
  return { config: known, domain: endpointOf(endpoints.domain!, known.brand ?? 'feishu') }
}
