import { AppError } from '#plugin-api'
import type { Rights } from '../auth/types.ts'
import type { GroupRights } from '../users/types.ts'
import type { Grants } from './grants.ts'
import type { Cradle } from './manifest.ts'

/** The groups that callers name, by id or name, for accounts that they create or invite. */
export type GroupGrants = ReturnType<typeof createGroupGrants>

/** Creates the rule that callers put accounts only into groups whose permissions they hold. */
export function createGroupGrants({
  grants,
  permissionCatalog,
  extensions,
}: { grants: Grants } & Pick<Cradle, 'permissionCatalog' | 'extensions'>) {
  /** Returns the groups that exist, by the name that they were asked for. */
  const findNamed = async (names: readonly string[]): Promise<ReadonlyMap<string, GroupRights>> => {
    if (names.length === 0) return new Map()
    const answers = await extensions['users.named_groups'].ask({ names })
    return new Map(answers.flatMap((byName) => [...byName]))
  }

  /** Throws GRANT_EXCEEDS if a group has a permission that the caller lacks. */
  const assertGrantable = (caller: Rights, groups: Iterable<GroupRights>): void => {
    const permissions = [...groups].flatMap((group) => group.permissions)
    // A permission that no plugin declares any more allows nothing.
    grants.assertGrantable(caller, { permissions: permissions.filter((key) => permissionCatalog.get(key)) })
  }

  return {
    findNamed,
    assertGrantable,

    /** Returns the group with this id or name. Throws VALIDATION_FAILED if it does not exist. */
    async find(name: string): Promise<GroupRights> {
      const group = (await findNamed([name])).get(name)
      if (!group) throw unknownGroups(['/group'])
      return group
    },

    /** Returns the ids of groups that the caller assigns. Throws VALIDATION_FAILED, GRANT_EXCEEDS. */
    async resolve(caller: Rights, names: readonly string[]): Promise<string[]> {
      const groups = await findNamed(names)
      const unknown = names.flatMap((name, index) => (groups.has(name) ? [] : [`/groups/${index}`]))
      if (unknown.length > 0) throw unknownGroups(unknown)
      assertGrantable(caller, groups.values())
      return [...new Set([...groups.values()].map(({ _id }) => _id))]
    },
  }
}

/** Creates the error for groups that do not exist, at these places of the request. */
const unknownGroups = (paths: readonly string[]): AppError =>
  new AppError('VALIDATION_FAILED', {
    issues: paths.map((path) => ({ path, rule: 'group', message: 'is not a known group' })),
  })
