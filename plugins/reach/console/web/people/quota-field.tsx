import { NumberInput } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { useIssue } from '../ui/issues.tsx'

interface Props {
  description: string
  /** Tokens; null for no limit. */
  value: number | null
  onChange(token_quota: number | null): void
}

/** The field for the tokens that an account, or each member of a group, may use. */
export function QuotaField({ description, value, onChange }: Props) {
  return (
    <NumberInput
      label={t('people.quota')}
      description={description}
      placeholder={t('people.no_quota')}
      min={0}
      allowDecimal={false}
      thousandSeparator=","
      hideControls
      value={value ?? ''}
      error={useIssue('/token_quota')}
      onChange={(tokens) => onChange(tokens === '' ? null : Number(tokens))}
    />
  )
}
