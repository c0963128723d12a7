import { Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { BudgetField } from '../people/budget-field.tsx'
import { PermissionPicks } from '../people/permission-picks.tsx'
import { QuotaField } from '../people/quota-field.tsx'
import { useIssue } from '../ui/issues.tsx'
import type { GroupValues } from './group.ts'

interface Props {
  values: GroupValues
  onChange(changes: Partial<GroupValues>): void
}

/** The fields of a group: its name, and what its members may do and use. */
export function GroupFields({ values, onChange }: Props) {
  return (
    <Stack gap="lg">
      <TextInput
        label={t('groups.name')}
        required
        withAsterisk={false}
        maxLength={64}
        value={values.name}
        error={useIssue('/name')}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        data-autofocus
      />
      <Textarea
        label={t('groups.description')}
        maxLength={500}
        autosize
        minRows={1}
        maxRows={4}
        value={values.description ?? ''}
        error={useIssue('/description')}
        onChange={(event) => onChange({ description: event.currentTarget.value || null })}
      />
      <Switch
        label={t('groups.join')}
        description={t('groups.join_help')}
        checked={values.is_default}
        onChange={(event) => onChange({ is_default: event.currentTarget.checked })}
      />
      <PermissionPicks
        label={t('groups.permissions')}
        value={values.permissions}
        onChange={(permissions) => onChange({ permissions })}
      />
      <QuotaField
        description={t('groups.quota_help')}
        value={values.token_quota}
        onChange={(token_quota) => onChange({ token_quota })}
      />
      <BudgetField
        description={t('groups.budget_help')}
        value={values.budget}
        onChange={(budget) => onChange({ budget })}
      />
    </Stack>
  )
}
