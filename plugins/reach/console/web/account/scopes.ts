import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import type { Account } from '../session/account.ts'

/** A thing that a key may do. */
export interface Scope {
  key: string
  label: string
  help: string
}

/** The scopes that an account can put into a key, in words. */
export function useScopes(account: Account) {
  const permissions = api.useQuery('get', '/users/permissions').data ?? []
  const offered: Scope[] = [
    { key: 'read', label: t('account.scope_read'), help: t('account.scope_read_help') },
    { key: 'chat', label: t('account.scope_chat'), help: t('account.scope_chat_help') },
    { key: 'write', label: t('account.scope_write'), help: t('account.scope_write_help') },
    ...permissions
      .filter(({ key }) => account.permissions.includes(key))
      .map(({ key, label, description }) => ({ key, label, help: description })),
    ...(account.role === 'admin'
      ? [{ key: 'admin', label: t('account.scope_admin'), help: t('account.scope_admin_help') }]
      : []),
  ]
  const nameOf = (key: string) =>
    offered.find((scope) => scope.key === key)?.label ??
    permissions.find((permission) => permission.key === key)?.label ??
    key
  return { offered, nameOf }
}
