import { AppError, type Locale } from '#plugin-api'
import type { AgentDocument } from '../../../agents/agents/types.ts'
import type { AttachedDocument } from '../attached-documents.ts'
import type {
  StopReason as AnswerStop,
  Block,
  MessageDocument,
  ThreadDocument,
  TurnSettings,
} from '../documents.ts'
import { measureMessage } from '../documents.ts'
import type { ToldByFilter } from '../filters/filter-calls.ts'
import { explainRefusal } from '../filters/filter-refusal.ts'
import { findLastModel, type LedgerEvent } from '../ledger/ledger-event.ts'
import type { TurnLog } from '../ledger/turn-log.ts'
import type { Request } from '../loop/approvals.ts'
import { buildInstructions, MAX_STEPS, toCallSettings, toTurnSettings } from '../loop/call-settings.ts'
import { countClientSteps, toRemoteTools } from '../loop/client-tools.ts'
import { fitDocuments, toModelContext, userMessage, withSummary } from '../loop/model-context.ts'
import { keepDrawnFile, readImages } from '../loop/pictures.ts'
import { readRecordedLoop } from '../loop/recorded-loop.ts'
import { runTurnLoop } from '../loop/turn-loop.ts'
import { createMaterialLog } from '../loop/turn-material.ts'
import {
  createTurnTools,
  listOrigins,
  offerTools,
  readFoundTools,
  type TurnUser,
  toOfferedTurn,
} from '../loop/turn-tools.ts'
import { createTurnWriter, type TurnNotice, type WrittenNotice } from '../loop/turn-writer.ts'
import type { Cradle } from '../manifest.ts'
import { openAskedAgent } from './asked-agent.ts'
import { createModelChain, type ModelChain } from './model-chain.ts'
import type { StopReason } from './turn.ts'
import { readTurnHistory } from './turn-history.ts'
import type { TurnLease } from './turn-leases.ts'
import type { TurnEnd } from './turn-outcome.ts'

/** The request that a turn carries out. */
export interface TurnOrder {
  agent: AgentDocument
  user: TurnUser
  content: Block[]
  /** The documents that are attached to the message. */
  documents?: AttachedDocument[]
  model?: string
  /** Replace the agent's settings. */
  settings?: TurnSettings
  locale: Locale
  request_id: string
}

/** The place in which an order is carried out; `earlierEvents` are the stored events of a turn that was paused. */
interface Stage {
  lease: TurnLease
  thread: ThreadDocument
  log: TurnLog
  /** The id of the message that the turn answers. */
  question_id: string
  earlierEvents: readonly LedgerEvent[]
  signal: AbortSignal
}

/** Reads the newest messages before the one that a turn answers. */
async function readEarlier(
  thread: ThreadDocument,
  { first_seq }: TurnLease,
  { recent }: Pick<Cradle, 'recent'>,
): Promise<readonly MessageDocument[]> {
  const newest = await recent.before(thread, first_seq)
  // A new answer continues from the very message that it answers.
  const isAnswered = thread.active_turn?.path && newest.at(-1)?.role === 'user'
  return withoutRefused(isAnswered ? newest.slice(0, -1) : newest)
}

/**
 * Leaves out the messages that a filter has refused: no model has received them, and with them every later message would be
 * refused as well.
 */
function withoutRefused(messages: readonly MessageDocument[]): readonly MessageDocument[] {
  const refused = messages.filter(
    ({ error, content }) => error?.details.filter !== undefined && content.length === 0,
  )
  if (refused.length === 0) return messages
  const turns = new Set(refused.map(({ turn_id }) => turn_id))
  const answered = new Set(
    messages.flatMap(({ role, content, turn_id }) =>
      role !== 'user' && content.length > 0 ? [turn_id] : [],
    ),
  )
  return messages.filter(({ turn_id }) => !turns.has(turn_id) || answered.has(turn_id))
}

const toTurnNotice = ({ filter, code, message }: ToldByFilter, locale: Locale): TurnNotice | WrittenNotice =>
  message
    ? { code, message: message[locale], details: { filter } }
    : { code: 'FILTER_FAILED', details: { filter } }

/** Answers a user's message and writes the answer to the log; returns the end of the turn and never throws. */
export async function answer(
  {
    agent,
    user,
    content,
    documents: attached = [],
    model: requestedModel,
    settings: requestedSettings,
    locale,
    request_id,
  }: TurnOrder,
  { lease, thread, log, question_id, earlierEvents, signal }: Stage,
  cradle: Cradle,
): Promise<TurnEnd | { type: 'paused'; requests: Request[] }> {
  const { agents, ids, clock, explainError, heldCalls } = cradle
  // A turn keeps its settings while it waits, unless its program sends new ones with the results of its tools.
  const settings =
    earlierEvents.length > 0
      ? (earlierEvents.findLast((event) => event.settings)?.settings ?? {})
      : toTurnSettings({ agent, settings: requestedSettings }, agents)
  // Each model is asked at most once in a turn that its fallbacks answer, also after a pause.
  const unavailable = new Set(
    earlierEvents.flatMap(({ type, frame }) =>
      type === 'notice' && frame.code === 'MODEL_FALLBACK' ? [String(frame.details?.from)] : [],
    ),
  )
  let chain: ModelChain | undefined
  const writer = createTurnWriter({
    log,
    ids,
    agent_id: agent._id,
    locale,
    earlierEvents,
    onTool({ name, is_error, ms = 0 }) {
      const { first_seq, ...owned } = lease
      void cradle.events.emit('tool.called', { ...owned, name, is_error, ms, ended_ms: clock.now() })
    },
  })
  const { usage } = writer
  const notified = new Set(
    earlierEvents.flatMap(({ type, frame }) => (type === 'notice' ? [`${frame.code} ${frame.message}`] : [])),
  )
  const modelsOf = ({ _id: id, name, owner_id }: AgentDocument) =>
    cradle.chatFilters.overAll(cradle.models, {
      agent: { id, name, owner_id },
      caller: { id: user.id, role: user.role },
      locale,
      onNotice(sentence) {
        const notice = toTurnNotice(sentence, locale)
        const key = 'message' in notice ? `${notice.code} ${notice.message}` : notice.code
        if (!notified.has(key)) writer.onNotice(notice)
        notified.add(key)
      },
    })
  const describe = (cause: unknown) => {
    const { message, details } = explainRefusal(cause, locale) ?? explainError(cause, locale, request_id)
    return [message, details.guidance, details.detail].filter((text) => typeof text === 'string').join(' ')
  }
  const done = (stop_reason: AnswerStop): TurnEnd => ({
    type: 'done',
    message_id: writer.message_id,
    stop_reason,
    usage,
    sources: writer.sources,
  })
  try {
    const project = await cradle.threadProjects.read(thread)
    const filteredModels = modelsOf(agent)
    const tools = agents.listTools(agent, user)
    const turn = toOfferedTurn({ agent, user, thread, project, settings })
    const [newest, opened, system, offered, borrowedTools] = await Promise.all([
      readEarlier(thread, lease, cradle),
      // A turn keeps its initial model, whatever is chosen while it waits.
      filteredModels.open([findLastModel(earlierEvents), requestedModel, thread.model], user.id, agent),
      buildInstructions(agent, { turn: { ...turn, tools }, thread, project }, cradle),
      offerTools(tools, turn),
      agents.lendTools(agent, user, { choices: settings, has_begun: earlierEvents.length > 0 }),
    ])
    const models = createModelChain(opened, {
      fallbacks: agents.readFallbackModels(agent).filter((reference) => !unavailable.has(reference)),
      agent,
      user_id: user.id,
      locale,
      models: filteredModels,
      onNotice: writer.onNotice,
    })
    chain = models
    const account = {
      user_id: user.id,
      token_quota: user.token_quota,
      budget: user.budget,
      timezone: user.timezone,
      agent_id: agent._id,
      thread_id: thread._id,
      turn_id: lease.turn_id,
    }
    const { context_window: window } = opened.description
    const documents = fitDocuments(attached, window)
    const reserved = measureMessage({ content, documents })
    const { history, summary } = await readTurnHistory(
      { newest, reserved, lease, thread, opened, account, writer, locale, signal },
      cradle,
    )
    const earlier = history.flatMap((message) => message.content)
    const images = await readImages({ agent_id: agent._id, earlier, content }, opened, {
      extensions: cradle.extensions,
      onNotice: earlierEvents.length > 0 ? () => undefined : writer.onNotice,
    })
    const origins = listOrigins({ agent, user, project, offered, borrowedTools })
    const facts = {
      workspace: agents.workspaceOf(agent._id),
      agent_id: agent._id,
      thread_id: thread._id,
      user_id: user.id,
      locale,
      signal,
      numberOf: writer.numberOf,
      material: createMaterialLog({ message_id: question_id, content, history, summary, origins }),
    }
    const end = await runTurnLoop({
      call: (options, { call_id, delegated_by, authors }) => {
        const purpose = delegated_by === undefined ? 'turn' : 'task'
        return models.ask({ call_id, account, purpose, options }, authors)
      },
      settings: toCallSettings(settings, opened.description),
      max_steps: (settings.max_steps ?? MAX_STEPS) + countClientSteps(earlierEvents),
      ids,
      system,
      messages: withSummary(
        [
          ...toModelContext(history, {
            window,
            reserved,
            images,
            model: opened.reference,
          }),
          userMessage(content, { images, documents }),
        ],
        summary,
      ),
      tools: createTurnTools(cradle, {
        agent,
        user,
        allowed: thread.allowed_tools ?? [],
        offered,
        borrowedTools,
        choices: settings,
        remote: toRemoteTools(settings),
        foundNames: readFoundTools(earlierEvents),
      }),
      facts,
      writer,
      heldCalls: heldCalls.of(lease),
      recorded: readRecordedLoop(earlierEvents),
      openAgent: (agent_id) =>
        openAskedAgent(
          agent_id,
          { agent, user, thread, account, facts, writer, locale, modelsOf, describe },
          cradle,
        ),
      readPictures: (pictures) =>
        readImages({ agent_id: agent._id, earlier: pictures, content: [] }, models.current, {
          extensions: cradle.extensions,
          onNotice: writer.onNotice,
        }),
      keepFile: (file) => keepDrawnFile(file, { agent_id: agent._id, user_id: user.id }, cradle),
      explain: (error) => describe(models.current.explain(error, locale)),
    })
    writer.flush()
    return end.stop_reason === 'paused' ? { type: 'paused', requests: end.requests } : done(end.stop_reason)
  } catch (error) {
    writer.flush()
    const reason = signal.aborted ? (signal.reason as StopReason) : undefined
    if (reason === 'stopped' || reason === 'lost') return done('stopped')
    const cause =
      reason === 'shutdown'
        ? new AppError('TURN_INTERRUPTED')
        : (chain?.current.explain(error, locale) ?? error)
    return { type: 'error', error: cause, locale, request_id }
  }
}
