import { t } from '../../i18n/words.ts'
import type { IconComponent } from '../../ui/icon.tsx'
import { Circle, CircleCheck, CircleDot } from '../../ui/icons.ts'
import { readInput } from './describe-call.ts'
import classes from './plan.module.css'

const STATES = { completed: CircleCheck, in_progress: CircleDot, pending: Circle } as const

interface PlanItem {
  content: string
  status: keyof typeof STATES
}

/** The plan of an agent as a checklist. */
export function Plan({ items }: { items: PlanItem[] }) {
  return (
    <ul className={classes.plan} aria-label={t('tools.plan')}>
      {items.map(({ content, status }) => {
        const Icon: IconComponent = STATES[status]
        return (
          <li key={content} data-status={status}>
            <Icon size={15} aria-label={t(`tools.${status}`)} />
            <span>{content}</span>
          </li>
        )
      })}
    </ul>
  )
}

/** The items of a plan in the input of `write_todos`. */
export function readPlan(input: unknown): PlanItem[] {
  const { todos } = readInput(input)
  const isItem = (item: unknown): item is PlanItem => String(readInput(item).status) in STATES
  return Array.isArray(todos) ? todos.filter(isItem) : []
}
