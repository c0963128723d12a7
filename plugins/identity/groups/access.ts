import { EVERYONE, granteesOf, type Locale, type Route, rowOf } from '#plugin-api'
import type { Account } from '../users/types.ts'
import type { GroupDocument } from './groups.ts'
import { type Cradle, route } from './manifest.ts'
import { type AccessRow, accessRow } from './schemas.ts'

/** The most things of a kind that a preview lists. */
const MAX_THINGS = 200

const ACCOUNT = 'account'
const ADMINISTRATOR = 'administrator'

type Parts = Pick<Cradle, 'extensions' | 'groups' | 'permissionCatalog'>

/** Describes what an account may do, and where each right comes from. */
async function describeAccess(
  account: Account,
  { locale, withThings }: { locale: Locale; withThings: boolean },
  cradle: Parts,
): Promise<AccessRow> {
  const { username, role, own, group_ids } = account
  const groups = [...(await cradle.groups.listRecent(group_ids)).values()]
  return {
    username,
    role,
    groups: groups.map(({ _id: id, name }) => ({ id, name })),
    permissions: listPermissions(account, groups, { locale, cradle }),
    token_quota: {
      value: account.token_quota,
      from: own.token_quota === null ? namesOf(groups, (group) => isLargest(group, account)) : [ACCOUNT],
    },
    budget: describeBudget(account, groups),
    ...(withThings && { things: await listThings(account, groups, { locale, cradle }) }),
  }
}

function describeBudget({ budget, own }: Account, groups: readonly GroupDocument[]): AccessRow['budget'] {
  if (!budget) return { value: null, from: [] }
  const { group_id, ...value } = budget
  return { value, from: own.budget ? [ACCOUNT] : namesOf(groups, ({ _id }) => _id === group_id) }
}

const namesOf = (groups: readonly GroupDocument[], isMeant: (group: GroupDocument) => boolean): string[] =>
  groups.filter(isMeant).map(({ name }) => name)

const isLargest = (group: GroupDocument, { token_quota }: Account) =>
  token_quota !== null && group.token_quota === token_quota

function listPermissions(
  { role, own }: Account,
  groups: readonly GroupDocument[],
  { locale, cradle: { permissionCatalog } }: { locale: Locale; cradle: Parts },
): AccessRow['permissions'] {
  return permissionCatalog.list().flatMap(({ key, label }) => {
    const from = [
      ...(role === 'admin' ? [ADMINISTRATOR] : []),
      ...(own.permissions.includes(key) ? [ACCOUNT] : []),
      ...namesOf(groups, ({ permissions }) => permissions.includes(key)),
    ]
    return from.length > 0 ? [{ key, label: label[locale], from }] : []
  })
}

async function listThings(
  { _id: id, group_ids }: Account,
  groups: readonly GroupDocument[],
  { locale, cradle: { extensions } }: { locale: Locale; cradle: Parts },
): Promise<NonNullable<AccessRow['things']>> {
  const grantees = granteesOf({ id, groups: group_ids })
  const nameOf = (to: string) => {
    if (to === EVERYONE) return EVERYONE
    return to === `user:${id}` ? ACCOUNT : groups.find(({ _id }) => to === `group:${_id}`)?.name
  }
  const kinds = extensions['groups.shareables'].list().map(async ({ name: kind, label, listGranted }) => {
    const things = await listGranted(grantees, MAX_THINGS)
    return things.map((thing) => {
      const matching = thing.grants.filter(({ to }) => grantees.includes(to))
      const access = matching.some((grant) => grant.access === 'edit') ? ('edit' as const) : ('use' as const)
      const from = matching.filter((grant) => grant.access === access).flatMap(({ to }) => nameOf(to) ?? [])
      return { kind, label: label[locale], id: thing.id, name: thing.name, access, from }
    })
  })
  return (await Promise.all(kinds)).flat()
}

/** The preview of what somebody may do. */
export const accessRoutes: Route<Cradle>[] = [
  route({
    method: 'GET',
    path: '/users/:id/access',
    operation_id: 'getUserAccess',
    summary: 'Get what an account may do, and why',
    description:
      'Lists the permissions and the quota of an account with where each comes from: the account itself or groups. Administrators also see what others share with it.',
    guard: ['permission', 'users'],
    params: rowOf({ id: { type: 'string', description: 'A username or an id' } }),
    response: { 200: accessRow },
    errors: ['NOT_FOUND'],
  }).handle(async ({ caller, params, locale }, cradle) =>
    describeAccess(
      await cradle.accounts.find(params.id),
      { locale, withThings: caller.role === 'admin' },
      cradle,
    ),
  ),
]
