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
  return {
    /** Finds enabled accounts and groups by a part of their names. */
    async search(caller: AuthCaller, { q, limit }: TypeOf<typeof directoryQuery>): Promise<DirectoryRows> {
      const isFree = caller.role === 'admin' || config.sharing === 'everyone'
      if (!isFree && config.sharing === 'off') return []
      const within = isFree ? undefined : ownGroups(caller)
      const [named, people] = await Promise.all([
        groups.search(q, { within, limit }),
        users.search(q, { group_ids: within, limit }),
      ])
      const groupRows = named.map(({ _id: id, name }) => {
        return { kind: 'group' as const, id, name, display_name: null }
      })
      const userRows = people.map(({ _id: id, username: name, display_name }) => {
        return { kind: 'user' as const, id, name, display_name }
      })
      return [...groupRows, ...userRows].slice(0, limit)
    },
  }
}
