import type { TypeOf } from '#plugin-api'
import type { AuthCaller } from '../auth/types.ts'
import type { Groups } from './groups.ts'
import type { Cradle } from './manifest.ts'
import type { DirectoryRows, directoryQuery } from './schemas.ts'
import { ownGroups } from './sharing.ts'

/** The people and groups with whom accounts may share. */
export type Directory = ReturnType<typeof createDirectory>

/** Creates the search. Where sharing ends at groups, so does what is found. */
export function createDirectory({
  config,
  groups,
  users,
}: { groups: Groups } & Pick<Cradle, 'config' | 'users'>) {
  /** Returns with whom an account may share. */
  const sharingOf = ({ role }: Pick<AuthCaller, 'role'>) => (role === 'admin' ? 'everyone' : config.sharing)

  return {
    sharingOf,

    /** Finds enabled accounts and groups by a part of their names; of many, groups take at most half of the rows. */
    async search(
      caller: AuthCaller,
      { q, kind, limit }: TypeOf<typeof directoryQuery>,
    ): Promise<DirectoryRows> {
      const sharing = sharingOf(caller)
      if (sharing === 'off') return []
      const within = sharing === 'everyone' ? undefined : ownGroups(caller)
      const [named, people] = await Promise.all([
        kind === 'user' ? [] : groups.search(q, { within, limit }),
        kind === 'group' ? [] : users.search(q, { group_ids: within, limit }),
      ])
      const groupCount = Math.max(Math.floor(limit / 2), limit - people.length)
      const groupRows = named.slice(0, groupCount).map(({ _id: id, name }) => {
        return { kind: 'group' as const, id, name, display_name: null }
      })
      const userRows = people.map(({ _id: id, username: name, display_name }) => {
        return { kind: 'user' as const, id, name, display_name }
      })
      return [...groupRows, ...userRows].slice(0, limit)
    },
  }
}
