import { Button, Popover, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { language } from '../../i18n/language.ts'
import { t } from '../../i18n/words.ts'
import { compactThread, useCompaction } from '../compaction.ts'
import type { ThreadStore } from '../store/thread-store.ts'
import { useThread } from '../store/threads.ts'
import classes from './window-gauge.module.css'

/** The part of a window from which the gauge offers a summary by itself. */
const OFFERED_FROM = 0.8
const RADIUS = 7
const LENGTH = 2 * Math.PI * RADIUS
const percents = new Intl.NumberFormat(language, { style: 'percent' })

interface Props {
  store: ThreadStore
  /** The part of the window that the last answer has used, from 0 to 1. */
  part: number
  onFailure(error: unknown): void
}

/** A ring that says how full the window of the model is, with a way to have earlier messages summarized. */
export default function WindowGauge({ store, part, onFailure }: Props) {
  const isActive = useThread(store, ({ active }) => active !== undefined)
  const last = useThread(store, ({ turns }) => turns.at(-1)?.id)
  const compaction = useCompaction(store.thread_id)
  const [isOpen, setOpen] = useState(false)
  // The next answer reads less than the last one has read.
  const isOutdated = compaction !== undefined && compaction.turn_id === last
  if (isOutdated) return null
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
