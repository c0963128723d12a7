import { Input, SegmentedControl, TextInput } from '@mantine/core'
import { GroupPicks, useGroupPermissions } from '../groups/group-picks.tsx'
import { t } from '../i18n/words.ts'
import { useAccount } from '../session/account.ts'
import { useIssue } from '../ui/issues.tsx'
import { BudgetField } from './budget-field.tsx'
import { PermissionPicks } from './permission-picks.tsx'
import type { PersonValues } from './person.ts'
import { QuotaField } from './quota-field.tsx'

interface Props {
  values: PersonValues
  onChange(changes: Partial<PersonValues>): void
}

/** The fields of an account that account managers can change. */
export function PersonFields({ values, onChange }: Props) {
  const isAdmin = useAccount().role === 'admin'
  const inherited = useGroupPermissions(values.group_ids)
  const issue = {
    display_name: useIssue('/display_name'),
    email: useIssue('/email'),
    folder: useIssue('/workspace_root_dir'),
  }
  return (
    <>
      <TextInput
        label={t('people.display_name')}
        maxLength={128}
        value={values.display_name ?? ''}
        error={issue.display_name}
        onChange={(event) => onChange({ display_name: event.currentTarget.value || null })}
      />
      <TextInput
        label={t('people.email')}
        type="email"
        maxLength={254}
        value={values.email ?? ''}
        error={issue.email}
        onChange={(event) => onChange({ email: event.currentTarget.value || null })}
      />
      {isAdmin && (
        <Input.Wrapper
          label={t('people.role')}
          description={t(values.role === 'admin' ? 'people.admin_help' : 'people.user_help')}
          labelElement="div"
        >
          <SegmentedControl
            display="flex"
            w="fit-content"
            mt={4}
            aria-label={t('people.role')}
            value={values.role}
            data={[
              { value: 'user', label: t('people.user') },
              { value: 'admin', label: t('people.admin') },
            ]}
            onChange={(role) => onChange({ role: role as PersonValues['role'] })}
          />
        </Input.Wrapper>
      )}
      <GroupPicks
        description={t('people.groups_help')}
        value={values.group_ids}
        onChange={(group_ids) => onChange({ group_ids })}
      />
      {values.role === 'user' && (
        <PermissionPicks
          label={t('people.permissions')}
          inherited={inherited}
          value={values.permissions}
          onChange={(permissions) => onChange({ permissions })}
        />
      )}
      <QuotaField
        description={t('people.quota_help')}
        value={values.token_quota}
        onChange={(token_quota) => onChange({ token_quota })}
      />
      <BudgetField
        description={t('people.budget_help')}
        value={values.budget}
        onChange={(budget) => onChange({ budget })}
      />
      <TextInput
        label={t('people.folder')}
        description={t('people.folder_help')}
        maxLength={4096}
        value={values.workspace_root_dir ?? ''}
        error={issue.folder}
        onChange={(event) => onChange({ workspace_root_dir: event.currentTarget.value || null })}
      />
    </>
  )
}
