import { Group, Input, NativeSelect, NumberInput } from '@mantine/core'
import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { useIssue } from '../ui/issues.tsx'

/** An amount of money for each window; null for no limit. */
export type Budget = components['schemas']['Group']['budget']

const WINDOWS = ['day', 'week', 'month'] as const

interface Props {
  description: string
  value: Budget
  onChange(budget: Budget): void
}

/** A budget: an amount, and the window after which it begins anew. */
export function BudgetField({ description, value, onChange }: Props) {
  const window = value?.window ?? 'month'
  return (
    <Input.Wrapper
      label={t('people.budget')}
      labelElement="div"
      description={description}
      error={useIssue('/budget')}
    >
      <Group gap="sm" wrap="nowrap">
        <NumberInput
          flex={1}
          aria-label={t('people.budget')}
          placeholder={t('people.no_quota')}
          min={0}
          decimalScale={2}
          thousandSeparator=","
          hideControls
          value={value?.amount ?? ''}
          onChange={(amount) => onChange(amount === '' ? null : { amount: Number(amount), window })}
        />
        <NativeSelect
          aria-label={t('people.budget_window')}
          value={window}
          disabled={value === null}
          onChange={(event) =>
            value && onChange({ ...value, window: event.currentTarget.value as (typeof WINDOWS)[number] })
          }
          data={WINDOWS.map((name) => ({ value: name, label: t(`people.per_${name}`) }))}
        />
      </Group>
    </Input.Wrapper>
  )
}
