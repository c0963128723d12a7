import { ChannelFailure } from '#plugin-api'
import type { SlackApi } from './api.ts'
import { explainMissingScope } from './failure.ts'

/** The bot in its workspace. */
export interface Bot {
  user_id: string
}

interface AuthTest {
  user_id?: string
  response_metadata?: { scopes?: string[] }
}

/** The scope without which the bot could receive but not answer. */
const NEEDED_SCOPE = 'chat:write'

/** Fetches the bot of the token. Throws `forbidden` if the token is valid but may not write. */
export async function identifyBot(api: SlackApi, signal: AbortSignal): Promise<Bot> {
  const { user_id, response_metadata } = await api.call<AuthTest>('auth.test', {}, signal)
  if (!user_id) throw new ChannelFailure('unknown', 'Slack did not return the bot of the token.')
  const scopes = response_metadata?.scopes
  if (scopes && !scopes.includes(NEEDED_SCOPE))
    throw new ChannelFailure('forbidden', explainMissingScope('bot_token', NEEDED_SCOPE))
  return { user_id }
}
