import type { components } from '#client'
import { t, type WordKey } from '../i18n/words.ts'
import { Section } from '../ui/section.tsx'
import { State } from '../ui/state.tsx'
import classes from './plugins.module.css'

type Plugin = components['schemas']['Overview']['plugins'][number]
type Tone = 'on' | 'off' | 'failed' | 'waiting'

interface Props {
  plugins: Plugin[]
  health: Record<string, components['schemas']['HealthState']>
}

/** The parts of the server: those that need a look, and all of them on demand. */
export function PluginsSection({ plugins, health }: Props) {
  const rows = plugins.map((plugin) => ({ ...plugin, ...describe(plugin, health[plugin.name]) }))
  const order = (tone: Tone) => ['failed', 'waiting', 'off', 'on'].indexOf(tone)
  const sorted = rows.toSorted((a, b) => order(a.tone) - order(b.tone) || a.name.localeCompare(b.name))
  const unwell = sorted.filter(({ tone }) => tone === 'failed' || tone === 'waiting')
  return (
    <Section title={t('overview.plugins')} about={t('overview.plugins_about')}>
      {unwell.length > 0 && <Rows label={t('overview.plugins_unwell')} rows={unwell} />}
      <details>
        <summary>{t('overview.plugins_all', { count: plugins.length })}</summary>
        <Rows label={t('overview.plugins')} rows={sorted} />
      </details>
    </Section>
  )
}

function Rows({ label, rows }: { label: string; rows: { name: string; tone: Tone; label: WordKey }[] }) {
  return (
    <ul className={classes.plugins} aria-label={label}>
      {rows.map(({ name, tone, label }) => (
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
