import type { Cradle } from './manifest.ts'
import type { Account, Budget, GroupRights, UserDocument } from './types.ts'

/** Creates the addition of the rights that accounts have from their groups. */
export function createRights({ extensions }: Pick<Cradle, 'extensions'>) {
  const addAll = async (users: readonly UserDocument[]): Promise<Account[]> => {
    const ids = [...new Set(users.flatMap(({ group_ids = [] }) => group_ids))]
    const answers = ids.length > 0 ? await extensions['users.groups'].ask({ ids }) : []
    const groups = new Map(answers.flatMap((byGroup) => [...byGroup]))
    return users.map((user) => addRights(user, groups))
  }

  /** Adds them to one account, if there is one. */
  async function addTo<User extends UserDocument | null>(user: User) {
    return (user && (await addAll([user]))[0]!) as User extends null ? null : Account
  }

  return { addAll, addTo }
}

function addRights(user: UserDocument, groups: ReadonlyMap<string, GroupRights>): Account {
  const { permissions, token_quota, budget = null, group_ids = [] } = user
  const ofGroups = group_ids.flatMap((id) => groups.get(id) ?? [])
  const quotas = ofGroups.flatMap((group) => group.token_quota ?? [])
  return {
    ...user,
    group_ids,
    permissions: [...new Set([permissions, ...ofGroups.map((group) => group.permissions)].flat())],
    token_quota: token_quota ?? (quotas.length > 0 ? Math.max(...quotas) : null),
    budget: budget ?? largestBudget(ofGroups),
    own: { permissions, token_quota, budget },
  }
}

/** The days of a window, to compare budgets. */
const DAYS = { day: 1, week: 7, month: 30 } as const

function largestBudget(groups: readonly GroupRights[]): Budget | null {
  const budgets = groups.flatMap(({ _id: group_id, budget }) => (budget ? [{ ...budget, group_id }] : []))
  const [largest = null] = budgets.sort((a, b) => b.amount / DAYS[b.window] - a.amount / DAYS[a.window])
  return largest
}

/** Returns the account as it is stored, without the rights of its groups. */
export function toStored(user: UserDocument | Account): UserDocument {
  if (!('own' in user)) return user
  const { own, ...shown } = user
  return { ...shown, ...own }
}
