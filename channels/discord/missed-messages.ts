import type { APIMessage } from 'discord-api-types/v10'
import type { Logger } from '#kernel'
import { ChannelFailure } from '#plugin-api'
import type { DiscordApi } from './api.ts'
import type { WrittenMessage } from './inbound.ts'

const MAX_CHANNELS = 20
const MAX_MESSAGES = 50

/** Where the bot has been spoken to lately, and what was written there while it had no session. */
export interface MissedMessages {
  /** The newest message of a channel that has been stored. */
  mark(message: WrittenMessage): void
  /** Hands over what has been written since, oldest first; logs where that cannot be asked. */
  fetch(hand: (message: WrittenMessage) => Promise<void>): Promise<void>
}

/** Makes an empty memory of channels. */
export function createMissedMessages({ api, log }: { api: DiscordApi; log: Logger }): MissedMessages {
  const newest = new Map<string, { id: string; guild_id: string | undefined }>()
  return {
    mark({ id, channel_id, guild_id }) {
      const known = newest.get(channel_id)
      newest.delete(channel_id)
      newest.set(channel_id, known && isLater(known.id, id) ? known : { id, guild_id })
      if (newest.size > MAX_CHANNELS) newest.delete(newest.keys().next().value!)
    },

    async fetch(hand) {
      for (const [channel_id, { id, guild_id }] of [...newest]) {
        try {
          const messages = await api.call<APIMessage[]>({
            method: 'get',
            path: `/channels/${channel_id}/messages`,
            query: { after: id, limit: String(MAX_MESSAGES) },
          })
          const ordered = messages.toSorted((one, other) => (isLater(one.id, other.id) ? 1 : -1))
          for (const message of ordered) await hand(guild_id ? { ...message, guild_id } : message)
        } catch (error) {
          log.warn({ error, channel_id }, 'messages that were missed cannot be read')
          if (error instanceof ChannelFailure && error.reason === 'rate_limited') return
        }
      }
    },
  }
}

/** Ids of Discord are numbers that grow with time, and too long for `Number`. */
const isLater = (one: string, other: string) =>
  one.length === other.length ? one > other : one.length > other.length
