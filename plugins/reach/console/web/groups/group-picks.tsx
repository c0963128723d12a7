import { MultiSelect } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { useIssue } from '../ui/issues.tsx'
import { type Group, groupNameOf, useGroups } from './group.ts'

interface Props {
  description: string
  /** False for groups that cannot be chosen here. */
  isOffered?(group: Group): boolean
  /** The ids of the chosen groups. */
  value: string[]
  onChange(ids: string[]): void
}

/** Groups as chips, to add and to remove. */
export function GroupPicks({ description, isOffered = () => true, value, onChange }: Props) {
  const { rows } = useGroups()
  return (
    <MultiSelect
      label={t('groups.title')}
      description={description}
      placeholder={value.length === 0 ? t('groups.find') : ''}
      searchable
      hidePickedOptions
      // A group that is not read yet would be shown by its id.
      data={rows?.filter(isOffered).map((group) => ({ value: group.id, label: groupNameOf(group) })) ?? []}
      value={rows ? value : []}
      disabled={!rows}
      onChange={onChange}
      nothingFoundMessage={t('forms.no_match')}
      error={useIssue('/groups')}
    />
  )
}

/** Returns the permissions of groups, by their keys, each with the names of the groups that grant it. */
export function useGroupPermissions(group_ids: readonly string[]): ReadonlyMap<string, string[]> {
  const { rows = [] } = useGroups()
  const namesByPermission = new Map<string, string[]>()
  for (const group of rows.filter(({ id }) => group_ids.includes(id)))
    for (const key of group.permissions)
      namesByPermission.set(key, [...(namesByPermission.get(key) ?? []), groupNameOf(group)])
  return namesByPermission
}
