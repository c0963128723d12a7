import { useSuspenseQuery } from '@tanstack/react-query'
import { api, client } from '../server/client.ts'
import { queries } from '../server/queries.ts'

const query = api.queryOptions('get', '/auth/me')

/** Reads the account of the session. Does not throw: the page that needs it shows the failure. */
export const prefetchAccount = (): Promise<void> => queries.prefetchQuery(query)

/** Stores the zone of the browser as that of an account without one. If this fails, the next opened page tries again. */
export async function noteTimeZone(): Promise<void> {
  const account = queries.getQueryData<Account>(query.queryKey)
  if (account?.timezone !== null) return
  const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions()
  const { data } = await client.PATCH('/auth/me', { body: { timezone } }).catch(() => ({ data: undefined }))
  if (data) queries.setQueryData(query.queryKey, { ...account, timezone: data.timezone })
}

/** The account that is signed in. Its permissions decide which pages and buttons are shown; the server checks them. */
export function useAccount() {
  return useSuspenseQuery(query).data
}

/** An account as its owner sees it. */
export type Account = ReturnType<typeof useAccount>

/** True if an account may do what needs this permission. */
export const may = ({ role, permissions }: Account, permission: string) =>
  role === 'admin' || permissions.includes(permission)

/** True if an account may share and delete something: as its owner, or as an administrator. */
export const owns = ({ role }: Account, { is_owner }: { is_owner: boolean }) => role === 'admin' || is_owner
