import type { ChannelSettings } from '#plugin-api'

/** The platform that an app belongs to. */
export type Brand = 'feishu' | 'lark'

/** The config of a Feishu channel. */
interface FeishuConfig {
  app_id: string
  app_secret: string
  brand?: Brand
  encrypt_key?: string
  verification_token?: string
}

/** Lark's hosts by Feishu's. */
const OF_LARK: Record<string, string> = {
  'https://open.feishu.cn': 'https://open.larksuite.com',
  'https://accounts.feishu.cn': 'https://accounts.larksuite.com',
}

/** Returns the endpoint of a brand; an address from the server's settings is used for both brands. */
export function findEndpoint(address: string, brand: Brand): string {
  return (brand === 'lark' && OF_LARK[address]) || address
}

/** Returns the config and the API address of its brand. */
export function readSettings({ config, endpoints }: ChannelSettings): {
  config: FeishuConfig
  domain: string
} {
  const known = config as unknown as FeishuConfig
  return { config: known, domain: findEndpoint(endpoints.domain!, known.brand ?? 'feishu') }
}
