import type { ConversationType, JSONValue } from '#plugin-api'

/** The destination of an answer. */
export type Target = {
  type: ConversationType
  conversation: string
  /** The robot that received the message. */
  robot: string
  /** The sender, if a member of the organization: the API cannot write to anybody else. */
  staff?: string
  /** The reply webhook of the message. It is a secret: everybody who has it can write to the conversation. */
  webhook?: { url: string; expires_at: number }
}

/** Returns a stored target with its type. */
export const toTarget = (stored: JSONValue) => stored as Target

/** A reply webhook is not used this long before it expires. */
const EXPIRY_MARGIN_MS = 60_000

/** Returns the reply webhook while it is valid; unencrypted only if the platform itself is reached so. */
export function findWebhook({ webhook }: Target, oapi: string): string | undefined {
  if (!webhook || webhook.expires_at - EXPIRY_MARGIN_MS < Date.now() || !URL.canParse(webhook.url))
    return undefined
  const { protocol, origin } = new URL(webhook.url)
  return protocol === 'https:' || origin === new URL(oapi).origin ? webhook.url : undefined
}
