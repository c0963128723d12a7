import type { APIGuildMember } from 'discord-api-types/v10'

/** The roles of the bot in each server: a mention of one of them mentions the bot. */
export interface BotRoles {
  /** Stores the bot's roles from a list of members; other members are ignored. */
  learn(guild_id: string, members: readonly Partial<APIGuildMember>[]): void
  forget(guild_id: string): void
  list(guild_id: string | undefined): readonly string[]
}

/** Creates an empty store of the bot's roles; one connection serves at most 2500 servers. */
export function createBotRoles(botId: () => string): BotRoles {
  const roles = new Map<string, readonly string[]>()
  return {
    learn(guild_id, members) {
      const own = members.find(({ user }) => user?.id === botId())
      if (own?.roles) roles.set(guild_id, own.roles)
    },
    forget: (guild_id) => void roles.delete(guild_id),
    list: (guild_id) => (guild_id && roles.get(guild_id)) || [],
  }
}
