import { Checkbox, Stack, Text } from '@mantine/core'
import { t, type WordKey } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { may, useAccount } from '../session/account.ts'

/** The headings of the groups, in their order; groups of plugins from outside follow without one. */
const GROUPS: Record<string, WordKey> = {
  settings: 'people.group_settings',
  control: 'people.group_control',
  admin: 'people.group_admin',
}

interface Props {
  label: string
  value: string[]
  onChange(value: string[]): void
}

/** The permissions that the caller can grant, in groups; those that only others can grant stay as they are. */
export function PermissionPicks({ label, value, onChange }: Props) {
  const account = useAccount()
  const offered = (api.useQuery('get', '/users/permissions').data ?? []).filter(({ key }) =>
    may(account, key),
  )
  const groups = [...new Set([...Object.keys(GROUPS), ...offered.map(({ category }) => category)])]
  return (
    <Checkbox.Group label={label} value={value} onChange={onChange}>
      <Stack gap="lg" mt="sm">
        {groups.map((category) => {
          const permissions = offered.filter((permission) => permission.category === category)
          const heading = GROUPS[category]
          return (
            permissions.length > 0 && (
              <Stack gap="sm" key={category}>
                {heading && (
                  <Text size="xs" c="var(--meta)">
                    {t(heading)}
                  </Text>
                )}
                {permissions.map(({ key, label, description }) => (
                  <Checkbox key={key} value={key} label={label} description={description} />
                ))}
              </Stack>
            )
          )
        })}
      </Stack>
    </Checkbox.Group>
  )
}

/** The permissions that a new account is suggested to have, of those that the caller can grant. */
export function useSuggestedPermissions(): string[] {
  const account = useAccount()
  const permissions = api.useQuery('get', '/users/permissions').data ?? []
  return permissions
    .filter(({ key, is_suggested }) => is_suggested && may(account, key))
    .map(({ key }) => key)
}

/** The names of permissions in words, for lists. */
export function usePermissionNames(): (key: string) => string {
  const permissions = api.useQuery('get', '/users/permissions').data
  return (key) => permissions?.find((permission) => permission.key === key)?.label ?? key
}
