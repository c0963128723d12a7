import type { APIGuildMember } from 'discord-api-types/v10'

/** The roles that the bot has in each server: who mentions one of them speaks to the bot. */
export interface BotRoles {
  /** A server as the bot finds it, or a change of the bot's own membership; other members are left out. */
  learn(guild_id: string, members: readonly Partial<APIGuildMember>[]): void
  forget(guild_id: string): void
  of(guild_id: string | undefined): readonly string[]
}

/** Makes the roles of this bot, of which nothing is known yet; one connection serves 2500 servers at most. */
export function createBotRoles(botId: () => string): BotRoles {
  const roles = new Map<string, readonly string[]>()
  return {
    learn(guild_id, members) {
      const own = members.find(({ user }) => user?.id === botId())
      if (own?.roles) roles.set(guild_id, own.roles)
    },
    forget: (guild_id) => void roles.delete(guild_id),
    of: (guild_id) => (guild_id && roles.get(guild_id)) || [],
  }
}
