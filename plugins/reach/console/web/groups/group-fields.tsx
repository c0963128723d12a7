import { NumberInput, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { BudgetField } from '../people/budget-field.tsx'
import { PermissionPicks } from '../people/permission-picks.tsx'
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
      <NumberInput
        label={t('people.quota')}
        description={t('groups.quota_help')}
        placeholder={t('people.no_quota')}
        min={0}
        allowDecimal={false}
        thousandSeparator=","
        hideControls
        value={values.token_quota ?? ''}
        error={useIssue('/token_quota')}
        onChange={(value) => onChange({ token_quota: value === '' ? null : Number(value) })}
      />
      <BudgetField
        description={t('groups.budget_help')}
        value={values.budget}
        onChange={(budget) => onChange({ budget })}
      />
    </Stack>
  )
}
