import { eventId, isTerminal, type LedgerEvent, sumUsage, UNKNOWN_MODEL } from '../ledger/ledger-event.ts'
import type { ReadEvent } from '../ledger/ledger-reader.ts'
import { createMemoryLog } from '../ledger/memory-log.ts'
import { toPendingApproval } from '../loop/approvals.ts'
import { toRemoteTools } from '../loop/client-tools.ts'
import { beginAnswer } from '../loop/model-answer.ts'
import { readRecordedLoop } from '../loop/recorded-loop.ts'
import { type LoopEnd, type LoopParts, runTurnLoop } from '../loop/turn-loop.ts'
import { createMaterialLog } from '../loop/turn-material.ts'
import { createTurnWriter } from '../loop/turn-writer.ts'
import type { Cradle } from '../manifest.ts'
import { createHeldCalls } from '../resumption/held-calls.ts'
import { type TurnOutcome, toOutcome } from './outcome.ts'
import { speak } from './recorded-model.ts'
import { createRecordedTools } from './recorded-tools.ts'
import { type Recording, readRecording, toCallKey } from './recording.ts'

/** The id of the thread that replays are written to. */
const THREAD = 'replay'

/** The reason for ending a replay early: the recording ends there. */
const ENDED = 'the recording ends here'

/** Runs recorded turns again. */
export type TurnReplay = ReturnType<typeof createTurnReplay>

/** Creates the replay; it needs no database. */
export function createTurnReplay({ extensions, ids, clock }: Cradle) {
  return {
    /**
     * Runs the events of one turn through the current loop, with the recorded answers of models, outputs of tools and
     * decisions of people; returns both outcomes.
     */
    async run(events: readonly ReadEvent[]): Promise<{ recorded: TurnOutcome; replayed: TurnOutcome }> {
      const recorded = events.map(asStored)
      const replayed = await replay(recorded, { extensions, ids, clock })
      return { recorded: toOutcome(recorded), replayed: toOutcome(replayed) }
    },
  }
}

const asStored = ({ seq, ...event }: ReadEvent): LedgerEvent =>
  ({ _id: eventId(THREAD, seq), writer: '', ...event }) as LedgerEvent

async function replay(
  recorded: readonly LedgerEvent[],
  { extensions, ids, clock }: Pick<Cradle, 'extensions' | 'ids' | 'clock'>,
): Promise<LedgerEvent[]> {
  const [started] = recorded
  if (started?.type !== 'turn_started') throw new Error('a turn must begin with turn_started')
  const { turn_id, frame, input, model, locale = 'en', settings } = started
  const recording = readRecording(recorded)
  const resolutions = recorded.filter((event) => event.type === 'hitl_resolved')
  const remote = recorded.flatMap((event) => toRemoteTools(event.settings ?? {}))
  const references = recorded.flatMap(({ type, frame }) =>
    type === 'usage' && frame.model !== UNKNOWN_MODEL ? [frame.model] : [],
  )
  const last = recorded.at(-1)!
  const events: LedgerEvent[] = []
  const heldCalls = createHeldCalls().of({
    turn_id,
    thread_id: THREAD,
    user_id: '',
    agent_id: '',
    first_seq: 1,
  })
  const log = createMemoryLog({ thread_id: THREAD, turn_id, events }, clock)
  log.write('turn_started', frame, { input, model, locale, settings })
  const { steps, count } = readForeignSteps(recorded)
  recording.answers.get(undefined)?.splice(0, count)
  for (const { type, frame, answer } of steps) log.write(type, frame, { answer })
  // Model calls outside of the loop only count tokens.
  for (const event of recorded)
    if (event.type === 'usage' && event.frame.message_id === undefined) log.write('usage', event.frame)

  /** Runs the loop until it ends, pauses or has no further recording. */
  const replayLoop = async (): Promise<LoopEnd | typeof ENDED> => {
    const abort = new AbortController()
    const { signal } = abort
    const end = () => {
      // Parallel calls continue up to the end of their recording, because they only ever wait for promises.
      setImmediate(() => abort.abort(ENDED))
      return new Promise<never>(() => undefined)
    }
    const earlierEvents = [...events]
    const model = () => references[0] ?? 'none:none'
    const writer = createTurnWriter({ log, ids, agent_id: '', locale, earlierEvents })
    const steps = readRecordedLoop(earlierEvents)
    let current = steps.length - 1
    const call = async function* (...[, { step, delegated_by }]: Parameters<LoopParts['call']>) {
      if (delegated_by === undefined) current = step
      const parent = delegated_by && toCallKey(current, delegated_by)
      const answer = recording.answers.get(parent)?.shift()
      if (answer) yield* speak(answer)
      if (answer?.usage) return
      if (parent !== undefined && recording.outputs.has(parent)) throw new Error(ENDED)
      await end()
    }
    const { message_id } = frame
    const material = createMaterialLog({ message_id, content: [], history: [], summary: undefined })
    const { numberOf } = writer
    const names = { agent_id: '', thread_id: THREAD, user_id: '' }
    const facts = { workspace: '', ...names, locale, signal, material, numberOf }
    try {
      return await runTurnLoop({
        call: async (...step) => ({ model: model(), answer: await beginAnswer(call(...step)) }),
        settings: {},
        max_steps: settings?.max_steps,
        ids,
        system: '',
        messages: [],
        tools: createRecordedTools(recording, {
          registry: extensions['agents.tools'],
          remote,
          step: () => current,
          end,
        }),
        facts,
        writer,
        heldCalls,
        recorded: steps,
        openAgent: async () => ({ copyFile: async (path) => path }),
        readPictures: () => Promise.resolve(new Map()),
        keepFile: () => Promise.reject(new Error('a replay stores no files')),
        explain: () => '',
      })
    } catch (error) {
      if (error !== ENDED) throw error
      return ENDED
    } finally {
      writer.flush()
    }
  }

  for (;;) {
    const end = await replayLoop()
    if (end === ENDED) break
    if (end.stop_reason !== 'paused' && isFromOutside(last)) break
    if (end.stop_reason !== 'paused') {
      log.write('done', { message_id: null, usage: sumUsage(events), stop_reason: end.stop_reason })
      return events
    }
    const resolved = resolutions.shift()
    const pending_id = resolved?.frame.pending_id ?? ''
    const names = { pending_id, agent_id: '', thread_id: THREAD }
    log.write('hitl_required', toPendingApproval(end.requests, { ...names, expires_at: 0 }).pending)
    if (!resolved) return events
    log.write('hitl_resolved', resolved.frame, { results: resolved.results })
    if (resolved.frame.outcome === 'stopped') break
  }
  if (isTerminal(last)) log.write(last.type, last.frame)
  return withinRecording(events, recording)
}

/** Returns the events of the steps that happened elsewhere, which are not run again, and the number of these steps. */
function readForeignSteps(events: readonly LedgerEvent[]): { steps: readonly LedgerEvent[]; count: number } {
  const isForeign = ({ type, frame }: LedgerEvent) => type === 'usage' && frame.model === UNKNOWN_MODEL
  const last = events.findLastIndex(isForeign)
  if (last < 0) return { steps: [], count: 0 }
  const results = events.slice(last + 1).findIndex(({ type }) => type !== 'tool_result')
  return { steps: events.slice(1, last + 1 + results), count: events.filter(isForeign).length }
}

/** A turn that was ended early may run further in a replay: results without a recording are left out. */
function withinRecording(events: readonly LedgerEvent[], { outputs }: Recording): LedgerEvent[] {
  let step = -1
  return events.filter(({ type, frame }) => {
    if (type === 'usage' && frame.message_id !== undefined && frame.parent_tool_call_id === undefined)
      step += 1
    return type !== 'tool_result' || outputs.has(toCallKey(step, frame.tool_call_id))
  })
}

/** True if a turn was ended from outside, even if that came right before its own end. */
const isFromOutside = (last: LedgerEvent): boolean =>
  (last.type === 'done' && last.frame.stop_reason === 'stopped') ||
  (last.type === 'error' && last.frame.code === 'TURN_INTERRUPTED')
