import { useState } from 'react'
import type { Grant } from './grants.ts'
import type { SharedThing } from './kinds.ts'
import { RefusedGrants, storeGrants } from './store-grants.ts'

/** Stores grants, and keeps whose the server has refused. */
export function useGrantStore(thing: SharedThing) {
  const [refused, setRefused] = useState<readonly string[]>([])
  const store = async (former: readonly Grant[], current: readonly Grant[]) => {
    setRefused([])
    try {
      return await storeGrants(thing, former, current)
    } catch (error) {
      if (error instanceof RefusedGrants) setRefused(error.grantees)
      throw error
    }
  }
  return { refused, store }
}
