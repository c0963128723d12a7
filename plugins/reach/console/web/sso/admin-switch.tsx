import { Switch } from '@mantine/core'
import { t } from '../i18n/words.ts'
import type { Rule } from './service.ts'

interface Props {
  rule: Rule
  onChange(changes: Partial<Rule>): void
}

/** Makes administrators of the people that a rule applies to. */
export function AdminSwitch({ rule, onChange }: Props) {
  return (
    <Switch
      label={t('sso.makes_admin')}
      checked={rule.role === 'admin'}
      onChange={(event) => onChange({ role: event.currentTarget.checked ? 'admin' : undefined })}
    />
  )
}
