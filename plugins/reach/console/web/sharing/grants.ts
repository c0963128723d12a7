import type { components } from '#client'
import { t } from '../i18n/words.ts'
import type { DirectoryEntry } from './directory.ts'

/** A person, a group or everyone, with what they may do. */
export type Grant = components['schemas']['Grant']
export type Access = Grant['access']

/** The grantee of a grant to everyone. */
export const EVERYONE = 'everyone'

/** Returns for whom a grant is, as a key that is unique in a list. */
export function granteeOf({ user, group }: Pick<Grant, 'user' | 'group'>): string {
  if (user !== undefined) return `user:${user}`
  return group === undefined ? EVERYONE : `group:${group}`
}

/** Returns the grant to a person or a group that somebody has chosen. */
export const toGrant = ({ kind, id, name, display_name }: DirectoryEntry): Grant => ({
  ...(kind === 'user' ? { user: name } : { group: id }),
  access: 'use',
  name: display_name || name,
})

/** Returns the name of a grantee, for a list of names. */
export const nameOfGrant = ({ name, user, group }: Grant): string =>
  name ?? user ?? group ?? t('sharing.everyone_in_list')

/** Returns the list with another access for a grantee; null removes the grant. */
export function changeAccess(grants: readonly Grant[], grant: Grant, access: Access | null): Grant[] {
  const grantee = granteeOf(grant)
  if (access === null) return grants.filter((other) => granteeOf(other) !== grantee)
  if (!grants.some((other) => granteeOf(other) === grantee)) return [...grants, { ...grant, access }]
  return grants.map((other) => (granteeOf(other) === grantee ? { ...other, access } : other))
}

/** The difference between two lists of grants. */
export interface GrantChanges {
  /** Grants that allow more than before, or are new. */
  gained: Grant[]
  /** Grants that no longer allow changes. */
  lowered: Grant[]
  removed: Grant[]
}

export function compareGrants(former: readonly Grant[], current: readonly Grant[]): GrantChanges {
  const accessIn = (grants: readonly Grant[], grant: Grant) =>
    grants.find((other) => granteeOf(other) === granteeOf(grant))?.access
  const isChanged = (grant: Grant) => accessIn(former, grant) !== grant.access
  const isLowered = (grant: Grant) => accessIn(former, grant) === 'edit' && grant.access === 'use'
  return {
    gained: current.filter((grant) => isChanged(grant) && !isLowered(grant)),
    lowered: current.filter(isLowered),
    removed: former.filter((grant) => accessIn(current, grant) === undefined),
  }
}

/** Applies changes to a list that somebody else may have changed in the meantime. */
export function applyChanges(grants: readonly Grant[], { gained, lowered, removed }: GrantChanges): Grant[] {
  const remaining = removed.reduce<readonly Grant[]>((list, grant) => changeAccess(list, grant, null), grants)
  return [...gained, ...lowered].reduce<Grant[]>(
    (list, grant) => changeAccess(list, grant, grant.access),
    [...remaining],
  )
}
