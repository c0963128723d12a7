import { UnstyledButton } from '@mantine/core'
import { lazy, memo, Suspense, use, useState } from 'react'
import { AgentIcon } from '../../agents/agent-icon.tsx'
import { t, type WordKey } from '../../i18n/words.ts'
import { ChevronRight } from '../../ui/icons.ts'
import classes from './call-view.module.css'
import { findAsked, isDelegation, TurnContext } from './delegation.ts'
import { describeCall } from './describe-call.ts'
import { type Call, listResults } from './parts.ts'

const CallBody = lazy(() => import('./call-body.tsx'))

interface Props {
  call: Call
  /** True while the turn may still work on the call. */
  isActive: boolean
}

const DECISIONS: Record<string, WordKey> = {
  approve: 'tools.approved',
  edit: 'tools.edited',
  reject: 'tools.rejected',
  respond: 'tools.responded',
  expired: 'tools.expired',
  stopped: 'tools.stopped',
}

/** A call of a tool: a line that unfolds to its input and output; while it runs, with the last line of its progress. */
export const CallView = memo(function CallView({ call, isActive }: Props) {
  const [isOpen, setOpen] = useState(false)
  const isRunning = isActive && call.output === undefined
  const state = call.is_error ? 'failed' : isRunning ? 'running' : 'done'
  const askedAgent = findAsked(call, use(TurnContext)?.agents)
  const { icon: Icon, verb, object } = describeCall(call.name, call.input, askedAgent?.name)
  const progress = isRunning ? lastLine(call.live?.progress) || describeStep(call) : ''
  const decision = call.decision && DECISIONS[call.decision]
  const results = state === 'done' ? listResults(call) : undefined
  return (
    <div className={classes.call} data-state={state}>
      <UnstyledButton className={classes.line} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {askedAgent ? (
          <AgentIcon agent={askedAgent} size="sm" />
        ) : (
          <Icon size={14} aria-hidden className={classes.icon} />
        )}
        <span className={classes.verb}>{verb}</span>
        {object && (
          <span className={classes.object} data-words={isDelegation(call) || undefined}>
            {object}
          </span>
        )}
        {results && <span className={classes.state}>{t('tools.results', { count: results.length })}</span>}
        {decision && <span className={classes.state}>{t(decision)}</span>}
        {state !== 'done' && <span className={classes.state}>{t(`tools.${state}`)}</span>}
        <ChevronRight size={14} aria-hidden className={classes.chevron} data-open={isOpen} />
      </UnstyledButton>
      {progress && !isOpen && <div className={classes.progress}>{progress}</div>}
      {isOpen && (
        <div
          className={classes.body}
          style={askedAgent?.color ? { borderLeftColor: askedAgent.color } : undefined}
        >
          <Suspense>
            <CallBody call={call} isActive={isActive} />
          </Suspense>
        </div>
      )}
    </div>
  )
})

const lastLine = (text = '') => text.trimEnd().split('\n').at(-1) ?? ''

/** The step that a delegated call has begun last, in words. */
function describeStep({ live }: Call): string {
  const step = live?.steps.at(-1)
  if (!step) return ''
  const { verb, object } = describeCall(step.name, step.input)
  return `${verb} ${object}`
}
