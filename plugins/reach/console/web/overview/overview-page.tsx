import { Alert, Text } from '@mantine/core'
import { SlotParts } from '../frame/slot-parts.tsx'
import { formatCompact, formatNumber } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { Failure } from '../ui/failure.tsx'
import { Page } from '../ui/page.tsx'
import { Loading } from '../ui/pending.tsx'
import { Section } from '../ui/section.tsx'
import { Figures } from './figures.tsx'
import { HealthSection } from './health-section.tsx'
import { PluginsSection } from './plugins-section.tsx'

/** The state of the server, for administrators. */
export default function OverviewPage() {
  const overview = api.useQuery('get', '/admin/overview')
  const health = api.useQuery('get', '/health')
  const { data } = overview
  return (
    <Page title={t('frame.overview')} about={t('overview.about')}>
      {overview.error !== null && <Failure error={overview.error} onRetry={overview.refetch} />}
      {health.data?.status === 'degraded' && (
        <Alert color="red" variant="light" role="alert">
          {t('overview.degraded')}
        </Alert>
      )}
      {!data && !overview.error && <Loading height={160} />}
      {data && (
        <>
          <HealthSection overview={data} health={health.data} />
          <Figures
            label={t('overview.numbers')}
            figures={[
              {
                label: t('overview.accounts'),
                value: formatNumber(data.user_count),
                link: { to: '/people' },
              },
              {
                label: t('overview.agents'),
                value: formatNumber(data.agent_count),
                note: t('overview.running', { count: data.agents.running }),
                warning: data.agents.failed > 0 && t('overview.failed', { count: data.agents.failed }),
              },
              {
                label: t('overview.threads'),
                value: formatNumber(data.threads),
                note: t('overview.active', { count: data.turns_active }),
              },
              {
                label: t('overview.channels'),
                value: formatNumber(data.channels.connected),
                warning: data.channels.failed > 0 && t('overview.failed', { count: data.channels.failed }),
              },
              { label: t('overview.tokens'), value: formatCompact(data.tokens_used), link: { to: '/usage' } },
            ]}
          />
          <SlotParts name="overview.cards" />
          <Section title={t('overview.backup')}>
            <Text size="sm">{t('overview.backup_about')}</Text>
          </Section>
          <PluginsSection plugins={data.plugins} health={health.data?.plugins ?? {}} />
        </>
      )}
    </Page>
  )
}
