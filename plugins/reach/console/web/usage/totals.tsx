import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { components } from '#client'
import { formatCompact, formatNumber } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { Figures } from '../overview/figures.tsx'
import { useAccount } from '../session/account.ts'
import { listMeasures } from './measures.ts'
import { nameCost } from './spending.ts'
import { nameUnpriced } from './spending-table.tsx'

/** The sums of a period: cost, tokens and calls. */
export function Totals({ totals }: { totals: components['schemas']['UsageSums'] }) {
  const isAdmin = useAccount().role === 'admin'
  return (
    <>
      <Figures
        label={t('usage.totals')}
        figures={[
          { label: t('usage.cost'), value: nameCost(totals) },
          {
            label: t('usage.tokens'),
            value: formatCompact(totals.total_tokens),
            ...(totals.estimated_tokens > 0 && {
              note: t('usage.estimated', { count: formatCompact(totals.estimated_tokens) }),
            }),
          },
          {
            label: t('usage.input'),
            value: formatCompact(totals.input_tokens),
            ...(totals.cached_input_tokens > 0 && {
              note: t('usage.cached', { count: formatCompact(totals.cached_input_tokens) }),
            }),
          },
          {
            label: t('usage.output'),
            value: formatCompact(totals.output_tokens),
            ...(totals.reasoning_tokens > 0 && {
              note: t('usage.reasoning', { count: formatCompact(totals.reasoning_tokens) }),
            }),
          },
          { label: t('usage.calls'), value: formatNumber(totals.model_calls) },
          ...listMeasures(totals),
        ]}
      />
      {totals.unpriced_calls > 0 && (
        <Text size="sm" c="var(--meta)">
          {nameUnpriced(totals.unpriced_tokens)}
          {isAdmin && (
            <>
              {' · '}
              <Anchor
                inherit
                underline="always"
                renderRoot={(props) => <Link {...props} to="/usage/prices" />}
              >
                {t('usage.set_prices')}
              </Anchor>
            </>
          )}
        </Text>
      )}
    </>
  )
}
