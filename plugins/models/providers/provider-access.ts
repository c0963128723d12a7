import type { Filter } from 'mongodb'
import { isOpenTo, type Person } from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { ProviderDocument } from './types.ts'

/** The part of an account that decides which providers it uses. */
export type ProviderUser = Person & Pick<AuthCaller, 'role'>

/** Returns the condition that a provider is one of the server's that an account may use. */
export const lentTo = ({ role, ...person }: ProviderUser): Filter<ProviderDocument> => ({
  owner_id: null,
  ...(role !== 'admin' && isOpenTo(person)),
})

/** Returns the condition that an account may use a provider: its own providers, and the server's that are for it. */
export const usableBy = (user: ProviderUser): Filter<ProviderDocument> => ({
  $or: [{ owner_id: user.id }, lentTo(user)],
})
