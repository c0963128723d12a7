import { findWord, t } from '../i18n/words.ts'
import { State } from '../ui/state.tsx'
import { Time } from '../ui/time.tsx'
import type { Channel } from './channel-form.ts'

type Runtime = Channel['runtime']

const TONES = { connected: 'on', connecting: 'changing', disconnected: 'off', failed: 'failed' } as const

/** The state of a channel's connection in words. */
export function ChannelState({ channel: { enabled, runtime } }: { channel: Channel }) {
  if (!enabled) return <State tone="off">{t('channels.disabled')}</State>
  return <State tone={TONES[runtime.state]}>{t(`channels.state_${runtime.state}`)}</State>
}

/** The time and the reason of the last refusal of the platform, without the platform's words. */
export function LastRefusal({ refusal: { reason, at } }: { refusal: NonNullable<Runtime['last_refusal']> }) {
  return (
    <>
      {t('channels.refused')} · <Time at={at} /> ·{' '}
      {findWord(`channels.refused_${reason}`) ?? t(`channels.reason_${reason}`)}
    </>
  )
}

/** The reason why a channel is not connected, in words; undefined if there is none. */
export function readReason({ enabled, runtime }: Channel): string | undefined {
  if (!enabled || runtime.state === 'connected' || !runtime.reason) return undefined
  return runtime.reason === 'unknown'
    ? (runtime.error ?? t('channels.reason_unknown'))
    : t(`channels.reason_${runtime.reason}`)
}
