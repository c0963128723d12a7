import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { State } from '../ui/state.tsx'

const TONES = {
  running: 'changing',
  waiting: 'waiting',
  succeeded: 'on',
  failed: 'failed',
  skipped: 'off',
} as const

/** The outcome of a run in words. */
export const RunState = ({ status }: { status: components['schemas']['RunStatus'] }) => (
  <State tone={TONES[status]}>{t(`schedules.run_${status}`)}</State>
)
