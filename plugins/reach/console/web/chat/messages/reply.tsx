import { UnstyledButton } from '@mantine/core'
import { lazy, Suspense, useMemo, useState } from 'react'
import { t } from '../../i18n/words.ts'
import { Brain, ChevronRight } from '../../ui/icons.ts'
import { Markdown } from '../markdown/markdown.tsx'
import type { ThreadStore } from '../store/thread-store.ts'
import type { Message, Notice, Turn } from '../store/thread-view.ts'
import { useThread } from '../store/threads.ts'
import { useAgents } from '../use-agent.ts'
import { AnsweredQuestion, readAnswered } from './answered-question.tsx'
import callClasses from './call-view.module.css'
import { CallView } from './call-view.tsx'
import { TurnContext } from './delegation.ts'
import { FoldedSteps } from './folded-steps.tsx'
import { listParts, type Part } from './parts.ts'
import { Plan, readPlan } from './plan.tsx'
import classes from './reply.module.css'
import { AgentContext, listSources, SourcesContext } from './sources.ts'
import noticesClasses from './turn-end.module.css'
import { TurnEnd } from './turn-end.tsx'

const TurnSources = lazy(() => import('./turn-sources.tsx'))
const MemoryNotice = lazy(() => import('./memory-notice.tsx'))
const Approval = lazy(() => import('../approvals/approval.tsx'))

interface Props {
  turn: Turn
  store: ThreadStore
  isActive: boolean
  isLast: boolean
}

/** The answer of the agent and its steps. The steps of a finished turn fold into one line. */
export function Reply({ turn, store, isActive, isLast }: Props) {
  const [isOpen, setOpen] = useState(false)
  const isPaused = useThread(store, (view) => isActive && view.pending !== null)
  const parts = listParts(turn)
  const sources = useMemo(() => listSources(turn), [turn])
  const { rows: agents = [] } = useAgents()
  const { agent_id, thread_id } = store
  const hasSteps = parts.some(({ type }) => type !== 'text')
  const shown = isActive || isOpen || !hasSteps ? parts : parts.filter(isKept)
  const plan = isActive ? readPlan(findPlan(parts)) : []
  return (
    <article className={classes.reply} aria-busy={isActive} aria-label={t('chat.reply')}>
      {!isActive && hasSteps && (
        <FoldedSteps turn={turn} parts={parts} isOpen={isOpen} onToggle={() => setOpen(!isOpen)} />
      )}
      <TurnContext value={{ agent_id, thread_id, turn, agents }}>
        <AgentContext value={agent_id}>
          <SourcesContext value={sources}>
            {shown.map((part, index) => (
              <PartView
                key={part.key}
                part={part}
                isActive={isActive && !isPaused}
                isLast={index === shown.length - 1}
              />
            ))}
          </SourcesContext>
        </AgentContext>
        {!isActive && sources.length > 0 && (
          <Suspense>
            <TurnSources turn={turn} />
          </Suspense>
        )}
        <Notices messages={turn.messages} />
        {!isActive && <TurnEnd turn={turn} store={store} isLast={isLast} />}
        {plan.length > 0 && (
          <div className={classes.plan}>
            <Plan items={plan} />
          </div>
        )}
        {isPaused && (
          <Suspense>
            <Approval store={store} />
          </Suspense>
        )}
      </TurnContext>
      {isActive && !isPaused && parts.at(-1)?.type !== 'thought' && (
        <span className={classes.cursor} aria-hidden />
      )}
    </article>
  )
}

function PartView({ part, isActive, isLast }: { part: Part; isActive: boolean; isLast: boolean }) {
  if (part.type === 'text') return <Markdown text={part.text} />
  if (part.type === 'thought') return <Thought text={part.text} isRunning={isActive && isLast} />
  const answered = readAnswered(part.call)
  return answered ? <AnsweredQuestion {...answered} /> : <CallView call={part.call} isActive={isActive} />
}

/** True for parts that stay in view when the steps of a turn are folded. */
const isKept = (part: Part) =>
  part.type === 'text' || (part.type === 'call' && readAnswered(part.call) !== undefined)

/** The input of the last call that wrote a plan. */
const findPlan = (parts: readonly Part[]) => {
  const last = parts.findLast((part) => part.type === 'call' && part.call.name === 'write_todos')
  return last?.type === 'call' ? last.call.input : undefined
}

/** The notices about something that an agent remembers, or wants to. */
const MEMORY_CODES = ['REMEMBERED', 'MEMORY_PROPOSED']

/** Lists the notices of a turn, each once. */
function Notices({ messages }: { messages: readonly Message[] }) {
  const notices = messages.flatMap(({ notices = [] }) => notices)
  const byLine = new Map(notices.map((notice) => [notice.message, notice]))
  const isMemory = ({ code, details }: Notice) =>
    MEMORY_CODES.includes(code) && typeof details?.id === 'string'
  const lastMemory = notices.findLast(isMemory)
  return [...byLine].map(([line, notice]) => {
    const shown = (
      <div key={line} className={noticesClasses.note}>
        {line}
      </div>
    )
    if (!isMemory(notice)) return shown
    return (
      <Suspense key={line} fallback={shown}>
        <MemoryNotice notice={notice} hasLink={notice === lastMemory} />
      </Suspense>
    )
  })
}

interface ThoughtProps {
  text: string
  /** True while the model adds to it. */
  isRunning: boolean
}

/** Thoughts of the model, folded; while it thinks, with the end of the last line. */
function Thought({ text, isRunning }: ThoughtProps) {
  const [isOpen, setOpen] = useState(false)
  const last = isRunning ? (text.trimEnd().split('\n').at(-1)?.slice(-160) ?? '') : ''
  return (
    <div className={callClasses.call} data-state={isRunning ? 'running' : 'done'}>
      <UnstyledButton className={callClasses.line} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Brain size={14} aria-hidden className={callClasses.icon} />
        <span className={callClasses.verb}>{t(isRunning ? 'tools.thinking' : 'tools.thoughts')}</span>
        <ChevronRight size={14} aria-hidden className={callClasses.chevron} data-open={isOpen} />
      </UnstyledButton>
      {last && !isOpen && <div className={callClasses.progress}>{last}</div>}
      {isOpen && (
        <div className={callClasses.body}>
          <Markdown text={text} />
        </div>
      )}
    </div>
  )
}
