import { Button, Popover, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { language } from '../../i18n/language.ts'
import { t } from '../../i18n/words.ts'
import { compactThread, useCompaction } from '../compaction.ts'
import type { ThreadStore } from '../store/thread-store.ts'
import type { ThreadView } from '../store/thread-view.ts'
import { useThread } from '../store/threads.ts'
import classes from './window-gauge.module.css'

/** The part of a window from which the gauge is shown. */
const SHOWN_FROM = 0.5
/** The part of a window from which the gauge offers a summary by itself. */
const OFFERED_FROM = 0.8
const RADIUS = 7
const LENGTH = 2 * Math.PI * RADIUS
const percents = new Intl.NumberFormat(language, { style: 'percent' })

interface Props {
  store: ThreadStore
  /** The number of tokens that the model of the next answer reads at once; null if it is unknown. */
  window: number | null
  onFailure(error: unknown): void
}

/** A ring that says how full the window of the model is, with a way to have earlier messages summarized. */
export default function WindowGauge({ store, window, onFailure }: Props) {
  const used = useThread(store, readUsedTokens)
  const isActive = useThread(store, ({ active }) => active !== undefined)
  const last = useThread(store, ({ turns }) => turns.at(-1)?.id)
  const compaction = useCompaction(store.thread_id)
  const [isOpen, setOpen] = useState(false)
  // The next answer reads less than the last one has read.
  const isOutdated = compaction !== undefined && compaction.turn_id === last
  const part = window ? Math.min(used / window, 1) : 0
  if (part < SHOWN_FROM || isOutdated) return null
  const words = t('chat.window_used', { percent: percents.format(part) })
  const compact = () => {
    setOpen(false)
    compactThread(store).catch(onFailure)
  }
  const isOffered = part >= OFFERED_FROM
  return (
    <>
      {isOffered && !isActive && !isOpen && (
        <Button size="compact-xs" variant="subtle" color="gray" className={classes.offer} onClick={compact}>
          {t('chat.compact_now')}
        </Button>
      )}
      <Popover opened={isOpen} onChange={setOpen} position="top-end" shadow="md" trapFocus returnFocus>
        <Popover.Target>
          <UnstyledButton
            className={classes.gauge}
            aria-label={words}
            title={words}
            onClick={() => setOpen(!isOpen)}
          >
            <svg width={18} height={18} viewBox="0 0 18 18" aria-hidden>
              <circle cx={9} cy={9} r={RADIUS} className={classes.whole} />
              <circle
                cx={9}
                cy={9}
                r={RADIUS}
                className={classes.used}
                strokeDasharray={`${part * LENGTH} ${LENGTH}`}
                transform="rotate(-90 9 9)"
              />
            </svg>
          </UnstyledButton>
        </Popover.Target>
        <Popover.Dropdown className={classes.about}>
          <p>{words}</p>
          <p>{t('chat.window_about')}</p>
          <Button size="compact-sm" variant="default" disabled={isActive} onClick={compact}>
            {t('chat.compact_now')}
          </Button>
        </Popover.Dropdown>
      </Popover>
    </>
  )
}

/** The tokens that the last model call of a thread has read and written. */
function readUsedTokens({ turns }: ThreadView): number {
  for (const { messages } of turns.toReversed()) {
    const usage = messages.findLast((message) => message.role === 'assistant' && message.usage)?.usage
    if (usage) return usage.input_tokens + usage.output_tokens
  }
  return 0
}
