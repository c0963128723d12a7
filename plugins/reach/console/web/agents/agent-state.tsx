import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { State } from '../ui/state.tsx'

type AgentState = components['schemas']['AgentState']

const TONES = {
  running: 'on',
  stopped: 'off',
  starting: 'changing',
  stopping: 'changing',
  failed: 'failed',
} as const

/** The state of an agent in words. */
export const AgentState = ({ state }: { state: AgentState }) => (
  <State tone={TONES[state]}>{t(`agents.state_${state}`)}</State>
)
