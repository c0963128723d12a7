import { UnstyledButton } from '@mantine/core'
import { lazy, memo, Suspense, use, useState } from 'react'
import { AgentIcon } from '../../agents/agent-icon.tsx'
import { t, type WordKey } from '../../i18n/words.ts'
import { ChevronRight } from '../../ui/icons.ts'
import { CodeBlock } from '../markdown/code-block.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { CallInput } from './call-input.tsx'
import classes from './call-view.module.css'
import { findAsked, isDelegation, TurnContext } from './delegation.ts'
import { describeCall } from './describe-call.ts'
import type { Call } from './parts.ts'

const DelegatedSteps = lazy(() => import('./delegated-steps.tsx'))
const RecordedCall = lazy(() => import('./recorded-call.tsx'))
const SearchResults = lazy(() => import('./search-results.tsx'))

interface Props {
  call: Call
  /** True while the turn may still work on the call. */
  isActive: boolean
}

/** The tools whose sources are the results of a search. */
const SEARCHES = ['web_search', 'search_knowledge']

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
  const asked = findAsked(call, use(TurnContext)?.agents)
  const { icon: Icon, verb, object } = describeCall(call.name, call.input, asked?.name)
  const progress = isRunning ? lastLine(call.live?.progress) || describeStep(call) : ''
  const decision = call.decision && DECISIONS[call.decision]
  const results = state === 'done' ? listResults(call) : undefined
  return (
    <div className={classes.call} data-state={state}>
      <UnstyledButton className={classes.line} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {asked ? (
          <AgentIcon agent={asked} size="sm" />
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
        <div className={classes.body} style={asked?.color ? { borderLeftColor: asked.color } : undefined}>
          <CallBody call={call} isActive={isActive} />
        </div>
      )}
    </div>
  )
})

/** The results of a search; undefined for other calls. */
const listResults = ({ name, sources }: Call) => (SEARCHES.includes(name) ? sources : undefined)

const lastLine = (text = '') => text.trimEnd().split('\n').at(-1) ?? ''

/** The step that a delegated call has begun last, in words. */
function describeStep({ live }: Call): string {
  const step = live?.steps.at(-1)
  if (!step) return ''
  const { verb, object } = describeCall(step.name, step.input)
  return `${verb} ${object}`
}

interface CallBodyProps {
  call: Call
  isActive: boolean
}

/** The input and output of a call, by the kind of its tool. */
export function CallBody({ call, isActive }: CallBodyProps) {
  const { name, input, output, live } = call
  const isPlan = name === 'write_todos'
  const results = listResults(call)
  if (call.recorded)
    return (
      <Suspense>
        <RecordedCall call={call} isActive={isActive} />
      </Suspense>
    )
  return (
    <>
      <CallInput name={name} input={input} />
      {isDelegation(call) && (
        <Suspense>
          <DelegatedSteps call={call} isActive={isActive && output === undefined} />
        </Suspense>
      )}
      {output === undefined && live?.progress && <Output label={t('tools.progress')} text={live.progress} />}
      {output !== undefined &&
        !isPlan &&
        (isDelegation(call) ? (
          <Markdown text={output} />
        ) : results?.length ? (
          <Suspense>
            <SearchResults sources={results} />
          </Suspense>
        ) : (
          <Output label={t('tools.output')} text={output} />
        ))}
    </>
  )
}

function Output({ label, text }: { label: string; text: string }) {
  return (
    <section aria-label={label}>
      <CodeBlock code={text} language="" />
    </section>
  )
}
