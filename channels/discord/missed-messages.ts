import type { APIMessage } from 'discord-api-types/v10'
import { ChannelFailure, type Logger } from '#plugin-api'
import type { DiscordApi } from './api.ts'
import type { WrittenMessage } from './inbound.ts'

const MAX_CHANNELS = 20
const MAX_MESSAGES = 50

/** Creates the list of recently used channels, from which missed messages can be fetched. */
export function createMissedMessages({ api, log }: { api: DiscordApi; log: Logger }) {
  const newest = new Map<string, { id: string; guild_id: string | undefined }>()
  return {
    /** Marks a message as stored. */
    mark({ id, channel_id, guild_id }: WrittenMessage): void {
      const marked = newest.get(channel_id)
      newest.delete(channel_id)
      newest.set(channel_id, marked && isLater(marked.id, id) ? marked : { id, guild_id })
      if (newest.size > MAX_CHANNELS) newest.delete(newest.keys().next().value!)
    },

    /** Calls `receive` with the messages written since the last stored one, oldest first. Logs failed requests. */
    async fetch(receive: (message: WrittenMessage) => Promise<void>): Promise<void> {
      for (const [channel_id, { id, guild_id }] of [...newest]) {
        try {
          const messages = await api.call<APIMessage[]>({
            method: 'get',
            path: `/channels/${channel_id}/messages`,
            query: { after: id, limit: String(MAX_MESSAGES) },
          })
          const ordered = messages.toSorted((one, other) => (isLater(one.id, other.id) ? 1 : -1))
          for (const message of ordered) await receive(guild_id ? { ...message, guild_id } : message)
        } catch (error) {
          log.warn({ error, channel_id }, 'missed messages could not be fetched')
          if (error instanceof ChannelFailure && error.reason === 'rate_limited') return
        }
      }
    },
  }
}

/** Discord's ids are numbers that grow with time and exceed `Number`. */
const isLater = (one: string, other: string) =>
  one.length === other.length ? one > other : one.length > other.length
