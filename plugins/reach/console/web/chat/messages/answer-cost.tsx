import { formatCost } from '../../i18n/format.ts'
import { t } from '../../i18n/words.ts'
import type { Turn } from '../store/thread-view.ts'
import { sumUsage } from './parts.ts'
import classes from './turn-end.module.css'

/** The cost of an answer, with its tokens on hover; nothing if it is free or the price of its model is unknown. */
export function AnswerCost({ turn }: { turn: Turn }) {
  const { cost, total_tokens: count = 0, is_estimated } = sumUsage(turn) ?? {}
  if (!cost?.amount) return null
  return (
    <span
      className={classes.cost}
      title={t(is_estimated ? 'tools.tokens_estimated' : 'tools.tokens', { count })}
    >
      {formatCost(cost)}
    </span>
  )
}
