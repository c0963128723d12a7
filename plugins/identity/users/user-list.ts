import type { Filter } from 'mongodb'
import { escapePattern, findPage, type Page, type PageRequest } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { Account, UserDocument } from './types.ts'

/** The stored field of each order in which accounts are listed. */
const ORDERS = {
  username: 'username_key',
  display_name: 'display_name_key',
  created_at: 'created_at',
  last_seen: 'last_seen_at',
} as const

type Order = keyof typeof ORDERS

/** The orders of the list; `-` reverses one. */
export type UserOrder = Order | `-${Order}`

/** The accounts to list: those that fit every given field. */
export interface UserFilter {
  /** A part of the username, the display name or the email address, whatever the case. */
  q?: string
  group_id?: string
  role?: UserDocument['role']
  enabled?: boolean
}

const DIGITS_OF_LENGTH = 3

/**
 * Returns a text that sorts as people expect: without regard to case and accents, and numbers by their value, each
 * preceded by the number of its digits.
 */
function toNaturalKey(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return plain.replace(/\d+/g, (number) => {
    const digits = number.replace(/^0+(?=\d)/, '')
    return String(digits.length).padStart(DIGITS_OF_LENGTH, '0') + digits
  })
}

/** Returns the fields for sorting an account; one without a display name is sorted by its username. */
export function toSortKeys({ username, display_name }: Pick<UserDocument, 'username' | 'display_name'>) {
  return { username_key: toNaturalKey(username), display_name_key: toNaturalKey(display_name ?? username) }
}

/** Creates the list of accounts. */
export function createUserList(
  { collections: { users } }: Pick<Cradle, 'collections'>,
  { addRights }: { addRights: (users: readonly UserDocument[]) => Promise<Account[]> },
) {
  const toFilter = ({ q, group_id, ...fields }: UserFilter): Filter<UserDocument> => {
    const part = q && { $regex: escapePattern(q), $options: 'i' }
    return {
      ...fields,
      ...(group_id !== undefined && { group_ids: group_id }),
      ...(part && { $or: [{ username: part }, { display_name: part }, { email: part }] }),
    }
  }

  return {
    /** Lists accounts in an order. Throws VALIDATION_FAILED for an unknown cursor. */
    async list(filter: UserFilter, sort: UserOrder, page: PageRequest): Promise<Page<Account>> {
      const field = ORDERS[sort.replace('-', '') as Order]
      const direction = sort.startsWith('-') ? -1 : 1
      const listing = { parts: [toFilter(filter)], sort: { [field]: direction, _id: direction } as const }
      const { rows, next } = await findPage(users, listing, page)
      return { rows: await addRights(rows), next }
    },

    /** Counts the accounts that fit a filter. */
    count: (filter: UserFilter): Promise<number> =>
      Object.values(filter).some((value) => value !== undefined)
        ? users.countDocuments(toFilter(filter))
        : users.estimatedDocumentCount(),
  }
}
