import type { ConversationType, JSONValue } from '#plugin-api'

/** Where an answer goes. */
export type Target = {
  type: ConversationType
  conversation: string
  /** The robot that was spoken to. */
  robot: string
  /** Who spoke, where they belong to the organization; nobody else can be written to by the API. */
  staff?: string
  /** The address that DingTalk gave for answers to the message: whoever has it can write there. */
  webhook?: { url: string; expires_at: number }
}

/** The target that a message was stored with. */
export const targetOf = (stored: JSONValue) => stored as Target

/** An address for answers is not used in its last moments, in milliseconds. */
const MARGIN = 60_000

/** The address for answers while it can be used; in the clear only where the platform itself is reached so. */
export function webhookOf({ webhook }: Target, oapi: string): string | undefined {
  if (!webhook || webhook.expires_at - MARGIN < Date.now() || !URL.canParse(webhook.url)) return undefined
  const { protocol, origin } = new URL(webhook.url)
  return protocol === 'https:' || origin === new URL(oapi).origin ? webhook.url : undefined
}
