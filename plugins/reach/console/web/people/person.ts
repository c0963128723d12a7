import type { components } from '#client'
import type { Account } from '../session/account.ts'
import { listChanges } from '../ui/draft.ts'
import type { Budget } from './budget-field.tsx'

/** An account as account managers see it. */
export type Person = components['schemas']['User']

/** The part of an account that a form edits. */
export interface PersonValues {
  username: string
  password: string
  role: Person['role']
  display_name: string | null
  email: string | null
  group_ids: string[]
  permissions: string[]
  token_quota: number | null
  budget: Budget
  workspace_root_dir: string | null
}

/** The values of a new account. */
export const NEW_PERSON: PersonValues = {
  username: '',
  password: '',
  role: 'user',
  display_name: null,
  email: null,
  group_ids: [],
  permissions: [],
  token_quota: null,
  budget: null,
  workspace_root_dir: null,
}

/** The values of a stored account. */
export const valuesOf = (person: Person): PersonValues => ({ ...NEW_PERSON, ...pick(person) })

function pick(person: Person) {
  const {
    username,
    role,
    display_name,
    email,
    permissions,
    token_quota,
    budget,
    workspace_root_dir,
    groups,
  } = person
  const group_ids = groups.map(({ id }) => id)
  return {
    username,
    role,
    display_name,
    email,
    group_ids,
    permissions,
    token_quota,
    budget,
    workspace_root_dir,
  }
}

/** The name under which people know somebody. */
export const nameOf = ({ display_name, username }: Pick<Person, 'display_name' | 'username'>) =>
  display_name ?? username

/** True if the caller can change an account: only administrators change administrators. */
export const canChange = (account: Account, { role }: Person) => role !== 'admin' || account.role === 'admin'

/** The values of a new account that are no defaults, as a body. */
export function toNewPerson({ username, password, group_ids: _, ...values }: PersonValues) {
  return { username, password, ...listChanges(NEW_PERSON, { ...NEW_PERSON, ...values }) }
}
