import { Alert, Text } from '@mantine/core'
import type { components } from '#client'
import { formatCompact, formatNumber } from '../i18n/format.ts'
import { t, type WordKey } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { Failure } from '../ui/failure.tsx'
import { Page } from '../ui/page.tsx'
import { Loading } from '../ui/pending.tsx'
import { Section } from '../ui/section.tsx'
import { State } from '../ui/state.tsx'
import { Figures } from './figures.tsx'
import { Nodes } from './nodes.tsx'
import classes from './plugins.module.css'

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
          <Section title={t('overview.processes')}>
            <Nodes
              nodes={data.nodes}
              version={data.version}
              commit={data.commit}
              database={health.data?.database}
            />
          </Section>
          <Section title={t('overview.backup')}>
            <Text size="sm">{t('overview.backup_about')}</Text>
          </Section>
          <Section title={t('overview.plugins')} about={t('overview.plugins_about')}>
            <Plugins plugins={data.plugins} health={health.data?.plugins ?? {}} />
          </Section>
        </>
      )}
    </Page>
  )
}

type Plugin = components['schemas']['Overview']['plugins'][number]
type Tone = 'on' | 'off' | 'failed' | 'waiting'

interface Props {
  plugins: Plugin[]
  health: Record<string, components['schemas']['HealthState']>
}

/** The parts of the server with their states, those first that need a look. */
function Plugins({ plugins, health }: Props) {
  const rows = plugins.map((plugin) => ({ ...plugin, ...describe(plugin, health[plugin.name]) }))
  const order = (tone: Tone) => ['failed', 'waiting', 'off', 'on'].indexOf(tone)
  return (
    <ul className={classes.plugins} aria-label={t('overview.plugins')}>
      {rows
        .sort((a, b) => order(a.tone) - order(b.tone) || a.name.localeCompare(b.name))
        .map(({ name, tone, label }) => (
          <li key={name}>
            <span>{name}</span>
            <State tone={tone}>{t(label)}</State>
          </li>
        ))}
    </ul>
  )
}

function describe(
  { state }: Plugin,
  health: Props['health'][string] | undefined,
): { tone: Tone; label: WordKey } {
  if (state === 'failed' || health === 'failed') return { tone: 'failed', label: 'overview.plugin_failed' }
  if (state === 'disabled') return { tone: 'off', label: 'overview.plugin_off' }
  if (health === 'degraded') return { tone: 'waiting', label: 'overview.plugin_degraded' }
  return { tone: 'on', label: 'overview.runs' }
}
