import { isDeepStrictEqual } from 'node:util'
import { AppError, type Conditional } from '#plugin-api'
import type { Accounts } from '../accounts/accounts.ts'
import type { Grants } from '../accounts/grants.ts'
import type { GroupGrants } from '../accounts/group-grants.ts'
import type { AuthCaller } from '../auth/types.ts'
import type { Account } from '../users/types.ts'
import type { GroupDocument, Groups } from './groups.ts'
import type { Cradle } from './manifest.ts'
import type { GroupChanges, NewGroup } from './schemas.ts'

/** The fields that only an administrator changes of a group that they are in themselves. */
const LIMITS = ['token_quota', 'budget'] as const
/** Attempts at a change of a group that others keep changing. */
const MAX_TRIES = 5

/** The changes of groups by user managers, under the rules of who may do what. */
export type GroupRules = ReturnType<typeof createGroupRules>

/** Creates the changes. Groups and accounts are named by id or name; unknown ones throw GROUP_NOT_FOUND, NOT_FOUND. */
export function createGroupRules({
  accounts,
  grants,
  groupGrants,
  groups,
  users,
}: { accounts: Accounts; grants: Grants; groupGrants: GroupGrants; groups: Groups } & Pick<Cradle, 'users'>) {
  /** Throws SELF_LIMITS if a limit of a group is about to apply to the caller, or not any more. */
  const assertNotOwnLimits = (caller: AuthCaller, isConcerned: boolean): void => {
    if (isConcerned && caller.role !== 'admin') throw new AppError('SELF_LIMITS')
  }

  const hasLimits = ({ token_quota, budget }: GroupDocument) => token_quota !== null || budget !== null

  const move = async (
    caller: AuthCaller,
    group_key: string,
    account_key: string,
    work: (user: Account, group: GroupDocument) => Promise<boolean>,
  ): Promise<void> => {
    // One after the other, so that the same one of two errors is answered.
    const group = await groups.find(group_key)
    const user = await accounts.find(account_key)
    if (user.role === 'admin' && caller.role !== 'admin') throw new AppError('ADMINISTRATOR_PROTECTED')
    groupGrants.assertGrantable(caller, [group])
    assertNotOwnLimits(caller, user._id === caller.id && hasLimits(group))
    await work(user, group)
  }

  return {
    /** Throws VALIDATION_FAILED, GRANT_EXCEEDS, GROUP_NAME_TAKEN. */
    create(caller: AuthCaller, body: NewGroup): Promise<GroupDocument> {
      grants.assertGrantable(caller, body)
      return groups.create(body)
    },

    /** Throws VALIDATION_FAILED, GRANT_EXCEEDS, GROUP_NAME_TAKEN, SELF_LIMITS, PRECONDITION_FAILED. */
    async update(
      caller: AuthCaller,
      key: string,
      changes: GroupChanges,
      request: Conditional,
    ): Promise<GroupDocument> {
      for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
        const group = await groups.find(key)
        grants.assertGrantable(caller, changes, group.permissions)
        const hasOtherLimits = LIMITS.some(
          (field) => changes[field] !== undefined && !isDeepStrictEqual(changes[field], group[field]),
        )
        assertNotOwnLimits(caller, hasOtherLimits && caller.groups.includes(group._id))
        const updated = await groups.update(group, changes, request)
        if (updated) return updated
      }
      throw new AppError('PRECONDITION_FAILED')
    },

    /** Throws GRANT_EXCEEDS unless the caller holds all that the members lose; SELF_LIMITS, GROUP_NEEDED. */
    async remove(caller: AuthCaller, key: string): Promise<GroupDocument> {
      const group = await groups.find(key)
      grants.assertGrantable(caller, { permissions: [] }, group.permissions)
      assertNotOwnLimits(caller, caller.groups.includes(group._id) && hasLimits(group))
      await groups.remove(group)
      return group
    },

    /** Throws GRANT_EXCEEDS, SELF_LIMITS, ADMINISTRATOR_PROTECTED. A member who is one already stays one. */
    addMember: (caller: AuthCaller, group_key: string, account_key: string): Promise<void> =>
      move(caller, group_key, account_key, (user, { _id }) => users.joinGroup(user._id, _id)),

    /** Throws GRANT_EXCEEDS, SELF_LIMITS, ADMINISTRATOR_PROTECTED. Somebody who is no member stays none. */
    removeMember: (caller: AuthCaller, group_key: string, account_key: string): Promise<void> =>
      move(caller, group_key, account_key, (user, { _id }) => users.leaveGroup(user._id, _id)),
  }
}
