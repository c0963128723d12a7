import { Checkbox, Stack, Text } from '@mantine/core'
import { joinNames, t, type WordKey } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { may, useAccount } from '../session/account.ts'

/** The headings of the categories, in their order; categories of plugins from outside follow without one. */
const HEADINGS: Record<string, WordKey> = {
  settings: 'people.group_settings',
  control: 'people.group_control',
  admin: 'people.group_admin',
}

const NONE: ReadonlyMap<string, string[]> = new Map()

interface Props {
  label: string
  value: string[]
  onChange(value: string[]): void
  /** The permissions that come from groups, by their keys, with the names of these groups. */
  inherited?: ReadonlyMap<string, string[]>
  /** The only categories that are offered, without their headings. */
  categories?: string[]
}

/** The permissions that the caller can grant, by category; those that only others can grant stay as they are. */
export function PermissionPicks({ label, value, onChange, inherited = NONE, categories }: Props) {
  const account = useAccount()
  const offered = (api.useQuery('get', '/users/permissions').data ?? []).filter(
    ({ key }) => may(account, key) || inherited.has(key),
  )
  const shown = categories ?? [
    ...new Set([...Object.keys(HEADINGS), ...offered.map(({ category }) => category)]),
  ]
  return (
    <Checkbox.Group
      label={label}
      value={[...new Set([...value, ...inherited.keys()])]}
      onChange={(keys) => onChange(keys.filter((key) => value.includes(key) || !inherited.has(key)))}
    >
      <Stack gap="lg" mt="sm">
        {shown.map((category) => {
          const permissions = offered.filter((permission) => permission.category === category)
          const heading = categories ? undefined : HEADINGS[category]
          return (
            permissions.length > 0 && (
              <Stack gap="sm" key={category}>
                {heading && (
                  <Text size="xs" c="var(--meta)">
                    {t(heading)}
                  </Text>
                )}
                {permissions.map(({ key, label, description }) => {
                  const groups = inherited.get(key)
                  return (
                    <Checkbox
                      key={key}
                      value={key}
                      label={label}
                      description={
                        groups ? t('people.from_groups', { groups: joinNames(groups) }) : description
                      }
                      disabled={groups !== undefined}
                    />
                  )
                })}
              </Stack>
            )
          )
        })}
      </Stack>
    </Checkbox.Group>
  )
}

/** The permissions that are suggested for everybody, of those that the caller can grant. */
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
