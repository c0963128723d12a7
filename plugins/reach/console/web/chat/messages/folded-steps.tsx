import { UnstyledButton } from '@mantine/core'
import { formatDuration } from '../../i18n/format.ts'
import { t } from '../../i18n/words.ts'
import { ChevronRight } from '../../ui/icons.ts'
import type { Turn } from '../store/thread-view.ts'
import classes from './call-view.module.css'
import { type Part, sumUsage } from './parts.ts'

interface Props {
  turn: Turn
  parts: readonly Part[]
  isOpen: boolean
  onToggle(): void
}

/** The steps of a finished turn in one line: their number, how long they took and the tokens that they used. */
export function FoldedSteps({ turn, parts, isOpen, onToggle }: Props) {
  const steps = parts.filter(({ type }) => type === 'call').length
  const seconds = measureSeconds(turn)
  const { total_tokens: tokens = 0, is_estimated } = sumUsage(turn) ?? {}
  const hasFailed = parts.some(
    (part) => part.type === 'call' && part.call.is_error && part.call.decision !== 'reject',
  )
  const facts = [
    steps > 0 ? t('tools.steps', { count: steps }) : t('tools.thoughts'),
    seconds >= 1 && formatDuration(seconds),
    tokens > 0 && t(is_estimated ? 'tools.tokens_estimated' : 'tools.tokens', { count: tokens }),
    hasFailed && t('tools.failed'),
  ]
  return (
    <UnstyledButton className={classes.line} aria-expanded={isOpen} onClick={onToggle}>
      <ChevronRight size={14} aria-hidden className={classes.chevron} data-open={isOpen} />
      <span>{facts.filter(Boolean).join(' · ')}</span>
    </UnstyledButton>
  )
}

/** The time from the question to the end of the turn, or, if that was not seen, to its last message. */
function measureSeconds({ messages, ended_at }: Turn): number {
  const first = messages[0]?.timestamp ?? 0
  return ((ended_at ?? messages.at(-1)?.timestamp ?? first) - first) / 1000
}
