import type { components } from '#client'
import { t, type WordKey } from '../i18n/words.ts'
import { State } from '../ui/state.tsx'
import classes from './plugins.module.css'

type Plugin = components['schemas']['Overview']['plugins'][number]
type Tone = 'on' | 'off' | 'failed' | 'waiting'

interface Props {
  plugins: Plugin[]
  health: Record<string, components['schemas']['HealthState']>
}

/** The parts of the server with their states, those first that need a look. */
export function Plugins({ plugins, health }: Props) {
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
