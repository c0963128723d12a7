import { use } from 'react'
import { t } from '../../i18n/words.ts'
import { nameAsked, type ShownTurn, TurnContext } from '../messages/delegation.ts'
import type { Call } from '../messages/parts.ts'
import { useSteps } from '../messages/recorded-steps.ts'
import classes from './approval-card.module.css'

/** Says which agent asks, for a request of a conversation that a call has delegated. */
export function Delegator({ parent }: { parent: string }) {
  const shown = use(TurnContext)
  const steps = useSteps(true)
  const find = (id: string): Delegation | undefined =>
    steps.find((step) => step.id === id) ?? (shown && findCall(shown, id))
  let call = find(parent)
  // A subagent works for the agent that has begun it.
  while (call?.name === 'task' && call.parent !== undefined) call = find(call.parent)
  const agent = call && nameAsked(call, shown?.agents ?? [])
  return <p className={classes.note}>{agent ? t('approvals.of_agent', { agent }) : t('approvals.of_task')}</p>
}

type Delegation = Pick<Call, 'name' | 'input'> & { parent?: string }

/** Finds a call that the agent of the conversation has made itself. */
const findCall = ({ turn }: ShownTurn, id: string): Delegation | undefined =>
  turn.messages
    .flatMap(({ content }) => content)
    .findLast((block) => block.type === 'tool_use' && block.id === id) as Delegation | undefined
