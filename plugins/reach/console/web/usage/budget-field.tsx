import { Group, Input, NativeSelect, NumberInput } from '@mantine/core'
import { useState } from 'react'
import type { components } from '#client'
import { t, type WordKey } from '../i18n/words.ts'
import { useFacts } from '../server/facts.ts'
import { useIssue } from '../ui/issues.tsx'

/** An amount of money for each day, week or month. */
export type Budget = Pick<components['schemas']['BudgetState'], 'amount' | 'window'>

interface Props {
  /** Null for no limit. */
  value: Budget | null
  onChange(value: Budget | null): void
  description?: string
}

const WINDOWS: Record<Budget['window'], WordKey> = {
  day: 'usage.each_day',
  week: 'usage.each_week',
  month: 'usage.each_month',
}

/** The budget of an account, of each member of a group, or of the server; an empty amount is no limit. */
export function BudgetField({ value, onChange, description }: Props) {
  const { currency } = useFacts()
  // The window of a budget whose amount is being written anew.
  const [window, setWindow] = useState(value?.window ?? 'month')
  const issue = useIssue('/budget/amount') ?? useIssue('/budget')
  if (currency === null) return null
  return (
    <Input.Wrapper
      label={t('usage.budget_in', { currency })}
      labelElement="div"
      description={description}
      error={issue}
    >
      <Group gap="sm" wrap="nowrap">
        <NumberInput
          flex={1}
          aria-label={t('usage.budget_in', { currency })}
          placeholder={t('people.no_quota')}
          min={0}
          decimalScale={2}
          thousandSeparator=","
          hideControls
          value={value?.amount ?? ''}
          onChange={(amount) => onChange(amount === '' ? null : { amount: Number(amount), window })}
        />
        <NativeSelect
          aria-label={t('usage.budget_window')}
          value={window}
          data={Object.entries(WINDOWS).map(([value, label]) => ({ value, label: t(label) }))}
          onChange={(event) => {
            const window = event.currentTarget.value as Budget['window']
            setWindow(window)
            if (value) onChange({ ...value, window })
          }}
        />
      </Group>
    </Input.Wrapper>
  )
}
