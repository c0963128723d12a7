import { api } from '../server/client.ts'

/** The account that is signed in. Its permissions decide which pages and buttons are shown; the server checks them. */
export function useAccount() {
  return api.useSuspenseQuery('get', '/auth/me').data
}

/** An account as its owner sees it. */
export type Account = ReturnType<typeof useAccount>

/** True if an account may do what needs this permission. */
export const may = ({ role, permissions }: Account, permission: string) =>
  role === 'admin' || permissions.includes(permission)
