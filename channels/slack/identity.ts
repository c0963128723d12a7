import { ChannelFailure } from '#plugin-api'
import type { SlackApi } from './api.ts'
import { missingScope } from './failure.ts'

/** Who the bot is in its workspace. */
export interface Bot {
  user_id: string
}

interface AuthTest {
  user_id?: string
  response_metadata?: { scopes?: string[] }
}

/** Without it the bot could hear, and never answer. */
const NEEDED_SCOPE = 'chat:write'

/** Asks Slack whose key the bot's token is. Throws `forbidden` where the key is good and may not write. */
export async function identifyBot(api: SlackApi, signal: AbortSignal): Promise<Bot> {
  const { user_id, response_metadata } = await api.call<AuthTest>('auth.test', {}, signal)
  if (!user_id) throw new ChannelFailure('unknown', 'Slack does not say who the bot is.')
  const scopes = response_metadata?.scopes
  if (scopes && !scopes.includes(NEEDED_SCOPE))
    throw new ChannelFailure('forbidden', missingScope('bot_token', NEEDED_SCOPE))
  return { user_id }
}
