import { t } from '../../i18n/words.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { CallInput } from '../messages/call-input.tsx'
import { describeCall } from '../messages/describe-call.ts'
import classes from './approval-card.module.css'
import type { Request } from './decisions.ts'

/** An action that waits for a person, as a person reads it. */
export function RequestView({ request, args }: { request: Request; args: Record<string, unknown> }) {
  const { name, description, allowed, is_step, parent_tool_call_id } = request
  if (allowed.includes('respond')) return <Markdown text={description} />
  const { icon: Icon, verb, object } = describeCall(name, args)
  return (
    <div>
      <p className={classes.what}>
        <Icon size={16} aria-hidden />
        <b>{verb}</b>
        {name !== 'execute' && object && <code>{object}</code>}
      </p>
      {parent_tool_call_id !== undefined && <p className={classes.note}>{t('approvals.of_task')}</p>}
      {is_step && <p className={classes.note}>{description}</p>}
      <CallInput name={name} input={args} />
    </div>
  )
}
