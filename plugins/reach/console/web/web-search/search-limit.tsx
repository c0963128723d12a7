import { NumberInput } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { useDraft } from '../ui/draft.ts'
import { useIssue } from '../ui/issues.tsx'
import { SettingsForm } from '../ui/settings-form.tsx'
import { type StoredSettings, saveWebSearch, type WebSearchSettings } from './web-search.ts'

type Limit = Pick<WebSearchSettings, 'per_day'>

/** The most searches of an account in a day. */
export function SearchLimit({ stored }: { stored: StoredSettings }) {
  const { per_day } = stored.data
  const draft = useDraft<Limit>({ per_day })
  const save = async () => {
    await saveWebSearch(stored, draft.value)
    draft.accept(draft.value)
  }
  return (
    <SettingsForm label={t('web-search.limit')} isDirty={draft.isDirty} onSave={save} onReset={draft.reset}>
      <LimitField value={draft.value.per_day} onChange={(per_day) => draft.change({ per_day })} />
    </SettingsForm>
  )
}

interface FieldProps {
  value: number | null
  onChange(value: number | null): void
}

const LimitField = ({ value, onChange }: FieldProps) => (
  <NumberInput
    maw={360}
    label={t('web-search.limit')}
    description={t('web-search.limit_help')}
    min={1}
    allowDecimal={false}
    thousandSeparator=","
    value={value ?? ''}
    error={useIssue('/per_day')}
    onChange={(value) => onChange(value === '' ? null : Number(value))}
  />
)
