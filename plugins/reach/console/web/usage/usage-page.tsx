import { Group, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { useAccount } from '../session/account.ts'
import { Page } from '../ui/page.tsx'
import { Accounts } from './accounts.tsx'
import { Breakdown } from './breakdown.tsx'
import { Days } from './days.tsx'
import { QuotaBar } from './quota-bar.tsx'

type Window = components['schemas']['UsageWindow']

/** The tokens that model calls used: your own, or for administrators everybody's. */
export default function UsagePage() {
  const isAdmin = useAccount().role === 'admin'
  const [window, setWindow] = useState<Window>('last_30d')
  const [whose, setWhose] = useState<'own' | 'all'>('own')
  const windows: { value: Window; label: string }[] = [
    { value: 'today', label: t('usage.today') },
    { value: 'last_7d', label: t('usage.last_7d') },
    { value: 'last_30d', label: t('usage.last_30d') },
    { value: 'all', label: t('usage.all_time') },
  ]
  return (
    <Page title={t('frame.usage')} about={t('usage.about')}>
      <Group gap="md">
        <SegmentedControl
          aria-label={t('usage.window')}
          value={window}
          data={windows}
          onChange={(value) => setWindow(value)}
        />
        {isAdmin && (
          <SegmentedControl
            aria-label={t('usage.whose')}
            value={whose}
            data={[
              { value: 'own', label: t('usage.own') },
              { value: 'all', label: t('usage.everybody') },
            ]}
            onChange={(value) => setWhose(value as typeof whose)}
          />
        )}
      </Group>
      {whose === 'own' && <QuotaBar />}
      <Days whose={whose} window={window} />
      <Breakdown whose={whose} window={window} by="by_model" title={t('usage.by_model')} />
      <Breakdown whose={whose} window={window} by="by_agent" title={t('usage.by_agent')} />
      {whose === 'all' && <Accounts window={window} />}
    </Page>
  )
}
