import type { APIChannel, APIGuildMember, APIRole } from 'discord-api-types/v10'

/** The subset of a server used here, as Discord describes it when the bot connects. */
export interface GuildParts {
  id: string
  members?: readonly Partial<APIGuildMember>[]
  roles?: readonly Pick<APIRole, 'id' | 'name' | 'tags'>[]
  channels?: readonly Pick<APIChannel, 'id' | 'name'>[]
  threads?: readonly Pick<APIChannel, 'id' | 'name'>[]
}

/** The bot as a server knows it, and the names in that server. */
export interface GuildView {
  /** The roles of the bot: a mention of one of them mentions the bot. */
  botRoles: readonly string[]
  /** The role that Discord made for the bot; no person can have it. */
  ownRole?: string
  /** Names of roles and channels by their ids. */
  names: ReadonlyMap<string, string>
}

type Guild = GuildView & { names: Map<string, string> }

const NOWHERE: GuildView = { botRoles: [], names: new Map() }

/** Creates an empty store of the bot's servers; one connection serves at most 2500. */
export function createGuilds(botId: () => string) {
  const guilds = new Map<string, Guild>()
  return {
    /** Stores the parts of a server that are present; of its members, only the bot. */
    learn({ id, members = [], roles = [], channels = [], threads = [] }: GuildParts): void {
      const guild: Guild = guilds.get(id) ?? { botRoles: [], names: new Map() }
      guilds.set(id, guild)
      guild.botRoles = members.find(({ user }) => user?.id === botId())?.roles ?? guild.botRoles
      const ownRole = roles.find(({ tags }) => tags?.bot_id === botId())?.id
      if (ownRole) guild.ownRole = ownRole
      for (const entry of [...roles, ...channels, ...threads])
        if (entry.name) guild.names.set(entry.id, entry.name)
    },
    forget: (guild_id: string) => void guilds.delete(guild_id),
    view: (guild_id: string | undefined): GuildView => guilds.get(guild_id ?? '') ?? NOWHERE,
  }
}
