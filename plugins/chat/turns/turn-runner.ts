import { setTimeout as pause } from 'node:timers/promises'
import { AppError, type Cradle, type Locale } from '#kernel'
import type { AgentDocument } from '../../agents/types.ts'
import type { OpenedModel } from '../../providers/types.ts'
import type { Block, ThreadDocument } from '../documents.ts'
import type { TurnLog } from '../ledger/ledger.ts'
import { instructionsFor } from '../loop/instructions.ts'
import { contextOf, userMessage } from '../loop/model-context.ts'
import { readImages } from '../loop/turn-images.ts'
import { runTurnLoop } from '../loop/turn-loop.ts'
import { createTurnTools, type TurnUser } from '../loop/turn-tools.ts'
import { createTurnWriter, type TurnWriter } from '../loop/turn-writer.ts'
import type { RunningTurn, StopReason } from './running-turns.ts'
import { settleTurn } from './settlement.ts'
import type { Opened, Turn } from './turns.ts'

/** One thing a user says to an agent. */
export interface TurnRequest {
  thread_id: string
  agent: AgentDocument
  user: TurnUser
  content: Block[]
  client_message_id?: string
  model?: string
  locale: Locale
  request_id: string
}

/** Runs turns to their end. */
export interface TurnRunner {
  /** Gives the turn that the same client_message_id started before, if this one repeats it. */
  run(request: TurnRequest): Promise<Turn | undefined>
}

/** How often a thread that another process works on is looked at, in milliseconds. */
const TAKEN_POLL_MS = 100

/** Makes the runner of turns. */
export function createTurnRunner(cradle: Cradle): TurnRunner {
  const { ledger, turns, running, recovery, outcomes, recent, hub, explainError, ids } = cradle
  const settlement = { outcomes, recent, hub, explainError }

  /** Runs a turn if its thread is free; it can be stopped from the moment that it might begin. */
  const attempt = async (request: TurnRequest): Promise<Opened> => {
    const { thread_id, agent, user, client_message_id } = request
    const agent_id = agent._id
    const current: RunningTurn = { thread_id, agent_id, client_message_id, abort: new AbortController() }
    running.add(current)
    try {
      const opened = await turns.open({ user_id: user.id, agent_id }, thread_id, client_message_id)
      if (opened.outcome === 'opened') await carryOut(request, opened, current)
      return opened
    } finally {
      running.remove(current)
    }
  }

  const carryOut = async (
    request: TurnRequest,
    { turn, thread }: Extract<Opened, { outcome: 'opened' }>,
    current: RunningTurn,
  ) => {
    const { abort } = current
    const log = ledger.open({
      thread_id: turn.thread_id,
      turn_id: turn.turn_id,
      lastSeq: turn.first_seq - 1,
      onLost: () => abort.abort('lost' satisfies StopReason),
    })
    current.opened = { turn, log }
    log.write(
      'turn_started',
      { message_id: ids.make('msg_'), client_message_id: request.client_message_id },
      request.content,
    )
    const end = await converse({ cradle, request, thread, log, signal: abort.signal })
    if (abort.signal.reason !== ('lost' satisfies StopReason))
      await settleTurn({ ...settlement, turn, log, end, onSettled: () => running.remove(current) })
  }

  return {
    async run(request) {
      for (;;) {
        const attempted = await attempt(request)
        if (attempted.outcome === 'opened') return undefined
        if (attempted.outcome === 'repeated') return attempted.turn
        // Behind all that came before it, also when that is another process's.
        await recovery.adopt()
        await pause(TAKEN_POLL_MS)
      }
    },
  }
}

/** How a turn ended, as its last event says it. */
export type TurnEnd = {
  usage: TurnWriter['usage']
  artifacts: TurnWriter['artifacts']
} & (
  | { type: 'done'; message_id: string | null; stop_reason: 'end' | 'stopped' | 'max_steps' }
  | { type: 'error'; error: unknown; locale: Locale; request_id: string }
)

/** Answers a user's message, written to the log as it goes; says how it ended and never throws. */
async function converse({
  cradle,
  request: { agent, user, content, model: wanted, locale, request_id },
  thread,
  log,
  signal,
}: {
  cradle: Cradle
  request: TurnRequest
  thread: ThreadDocument
  log: TurnLog
  signal: AbortSignal
}): Promise<TurnEnd> {
  const { recent, models, agents, ids, explainError } = cradle
  let opened: OpenedModel | undefined
  const writer = createTurnWriter({ log, ids, model: () => opened!.reference })
  const { usage, artifacts } = writer
  const done = (stop_reason: 'end' | 'stopped' | 'max_steps'): TurnEnd => ({
    type: 'done',
    message_id: writer.message_id,
    stop_reason,
    usage,
    artifacts,
  })
  try {
    const [history, model, system] = await Promise.all([
      recent.before(thread._id, thread.active_turn!.first_seq),
      models.open([wanted, thread.model, agent.default_model], user.id),
      instructionsFor(agent, cradle),
    ])
    opened = model
    const said = [...history.flatMap((message) => message.content), ...content]
    const images = await readImages({ agent_id: agent._id, blocks: said }, opened, cradle)
    const { stop_reason } = await runTurnLoop({
      opened,
      system,
      messages: [
        ...contextOf(history, opened.description.context_window, images),
        userMessage(content, images),
      ],
      tools: createTurnTools(cradle, { agent, user }),
      facts: {
        workspace: agents.workspaceOf(agent._id),
        agent_id: agent._id,
        thread_id: thread._id,
        user_id: user.id,
        locale,
        signal,
      },
      writer,
      delegate: writer.delegate,
      explain(error) {
        const { message, details } = explainError(model.explain(error, locale), locale, request_id)
        return [message, details.guidance, details.detail]
          .filter((text) => typeof text === 'string')
          .join(' ')
      },
    })
    writer.flush()
    return done(stop_reason)
  } catch (error) {
    writer.flush()
    const reason = signal.aborted ? (signal.reason as StopReason) : undefined
    if (reason === 'stopped' || reason === 'lost') return done('stopped')
    const cause =
      reason === 'shutdown' ? new AppError('TURN_INTERRUPTED') : (opened?.explain(error, locale) ?? error)
    return { type: 'error', error: cause, locale, request_id, usage, artifacts }
  }
}
