import { Select } from '@mantine/core'
import { t } from '../i18n/words.ts'

interface Props {
  /** Null for never. */
  days: number | null
  onChange(days: number | null): void
}

/** Chooses after how many days an address is fetched again; an interval set elsewhere can be kept. */
export function RefetchField({ days, onChange }: Props) {
  const data = [
    { value: '', label: t('knowledge.refetch_never') },
    { value: '1', label: t('knowledge.refetch_daily') },
    { value: '7', label: t('knowledge.refetch_weekly') },
    { value: '30', label: t('knowledge.refetch_monthly') },
  ]
  const value = String(days ?? '')
  if (data.every((choice) => choice.value !== value))
    data.push({ value, label: t('knowledge.refetch_days', { count: days! }) })
  return (
    <Select
      label={t('knowledge.refetch')}
      description={t('knowledge.refetch_help')}
      data={data}
      value={value}
      allowDeselect={false}
      onChange={(choice) => onChange(choice ? Number(choice) : null)}
    />
  )
}
