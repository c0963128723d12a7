import { type Semaphore, type StepDecision, type ToolContext, untilAborted } from '#plugin-api'
import type { Source } from '../documents.ts'
import type { Decision } from '../ledger/ledger-event.ts'
import {
  type Request,
  requestAnswer,
  requestApproval,
  requestAuthorization,
  requestHeldAnswer,
  requestResult,
  requestStep,
} from './approvals.ts'
import { parseArguments } from './call-arguments.ts'
import { isRemote } from './client-tools.ts'
import type { RecordedCall } from './recorded-loop.ts'
import type { CallFacts, Delegate, LoopCall } from './tool-calls.ts'
import { readInput } from './tool-input.ts'
import { limitOutput, limitSource } from './tool-output.ts'
import type { TurnTools } from './turn-tools.ts'
import type { LoopWriter } from './turn-writer.ts'

/** The abort reason of a turn's signal when the turn pauses. */
export const PAUSED = 'paused'

/**
 * A running call that waits for a person's decision about one of its steps, while everything it has started keeps
 * running.
 */
export interface HeldCall {
  /** Resumes the call with its turn; `decisions` are all those about its steps, of which the last may be new to it. */
  resume(round: Round, decisions: readonly Decision[]): Promise<CallEnd>
  /** Aborts everything that the call has started. */
  abandon(reason: unknown): void
}

/** The held calls of one turn, by the ids that readers see. */
export interface HeldCallsOfTurn {
  keep(call_id: string, call: HeldCall): void
  take(call_id: string): HeldCall | undefined
}

/** The surroundings of a running call until its turn pauses; a held call continues with new ones. */
export interface Round {
  tools: TurnTools
  /** Aborted when the turn ends early or pauses. */
  signal: AbortSignal
  writer: LoopWriter
  delegate: Delegate
}

/** The outcome of a call: its output with the paths of its pictures for the model, or the requests that a person must decide first. */
export type CallEnd =
  | { output: string; is_error: boolean; pictures?: readonly string[] }
  | { requests: Request[] }

/** Starts a call, with what was recorded of it before; its result is written to the turn. Rejects only when aborted. */
export function startCall({
  call: { toolCallId, toolName, input, isCut },
  request,
  facts,
  recorded,
  heldCalls,
  permits,
  round: first,
}: {
  call: LoopCall
  /** The call as an approval request shows it. */
  request: Omit<Request, 'description' | 'allowed_decisions'>
  facts: CallFacts
  recorded: RecordedCall
  heldCalls: HeldCallsOfTurn
  permits: Semaphore
  round: Round
}): Promise<CallEnd> {
  const ending = new AbortController()
  const { signal } = ending
  const slot = createCallSlot(permits, signal)
  const sources: Source[] = []
  const pictures: string[] = []
  const answers = [...recorded.answers]
  const begun = performance.now()
  let round: Round
  /** Ends this round of the call. */
  let end: (outcome: CallEnd) => void
  let work: Promise<CallEnd> | undefined
  let waiting: { request: Request; since: number; decide(decision: Decision): void } | undefined
  let decided = 0
  let isOver = false
  let waited = 0
  let questions: Promise<unknown> = Promise.resolve()
  /** Events of the call that arrive while its turn is paused. */
  const delayedProgress: ((writer: LoopWriter) => void)[] = []

  const tell = (say: (writer: LoopWriter) => void) => {
    if (waiting) delayedProgress.push(say)
    else say(round.writer)
  }

  const startRound = (next: Round): Promise<CallEnd> => {
    round = next
    const onAbort = () => {
      const { reason } = next.signal
      if (round === next && !(waiting && reason === PAUSED)) ending.abort(reason)
    }
    if (next.signal.aborted) onAbort()
    else next.signal.addEventListener('abort', onAbort, { once: true })
    const forget = () => next.signal.removeEventListener('abort', onAbort)
    const ended = new Promise<CallEnd>((resolve) => {
      end = resolve
    })
    work ??= run()
    work.then(forget, forget)
    return Promise.race([work, ended])
  }

  /** Ends the round: when the call runs again, the decisions that the tool waits for are recorded. */
  const untilRunAgain = (requests: Request[]) => {
    if (waiting || decided > 0) throw new Error('a call that asks for approval of steps cannot be run again')
    slot.leave()
    end({ requests })
    return new Promise<never>(() => undefined)
  }

  const self: HeldCall = {
    resume(next, decisions) {
      const ended = startRound(next)
      if (!waiting) return ended
      const decision = decisions[decided]
      if (!decision && !isOver) {
        // The last pause did not contain its request.
        heldCalls.keep(request.id, self)
        end({ requests: [waiting.request] })
        return ended
      }
      const { decide, since } = waiting
      decided += 1
      waited += performance.now() - since
      waiting = undefined
      for (const say of delayedProgress.splice(0)) say(next.writer)
      if (decision) decide(decision)
      return ended
    },
    abandon: (reason) => ending.abort(reason),
  }
  signal.addEventListener('abort', () => heldCalls.take(request.id), { once: true })

  /** Asks for a decision while the call keeps running; `prepare` returns the request, or the decision if it is known. */
  const hold = <Decided>(
    prepare: () => Request | { decided: Decided },
  ): Promise<Decision | { decided: Decided }> => {
    const decide = async () => {
      signal.throwIfAborted()
      const preparation = prepare()
      if ('decided' in preparation) return preparation
      const decision = new Promise<Decision>((resolve) => {
        waiting = { request: preparation, since: performance.now(), decide: resolve }
        heldCalls.keep(request.id, self)
        end({ requests: [preparation] })
      })
      return slot.outside(() => untilAborted(signal, decision))
    }
    const next = questions.then(decide)
    // A failed question is reported to its caller; the next question only waits for its end.
    questions = next.catch(() => undefined)
    return next
  }
  const answerOf = (decision: Decision): string => {
    if (decision.type === 'respond') return decision.message
    throw new Error(toRejection(decision))
  }

  const { material, numberOf, ...sharedFacts } = facts
  const context: ToolContext = {
    ...sharedFacts,
    signal,
    tool_call_id: request.id,
    get write_area() {
      return round.tools.write_area
    },
    attach(file) {
      if (file.for_model) pictures.push(file.path)
      tell((writer) => writer.onAttachment({ tool_call_id: toolCallId, ...file }))
    },
    cite(source) {
      const limited = limitSource(source)
      const number = numberOf(limited.id)
      sources.push({ ...limited, number })
      return number
    },
    notify: (notice) => tell((writer) => writer.onNotice(notice)),
    readMaterial: material.read,
    progress: (content) => tell((writer) => writer.onToolProgress({ tool_call_id: toolCallId, content })),
    async delegate(instruction, to) {
      const delegated = await slot.outside(() => round.delegate(instruction, to))
      return 'text' in delegated ? delegated.text : untilRunAgain(delegated.requests)
    },
    async ask(question) {
      const decision = answers.shift()
      if (decision) return answerOf(decision)
      return untilRunAgain([requestAnswer(request, limitOutput(question))])
    },
    async requestAuthorization(need) {
      const decision = answers.shift()
      if (decision) return void answerOf(decision)
      return untilRunAgain([requestAuthorization(request, need, facts.locale)])
    },
    async askHeld(question) {
      const decision = await hold<never>(() => requestHeldAnswer(request, limitOutput(question)))
      return answerOf(decision as Decision)
    },
    async requestApproval(step) {
      const decision = await hold(() =>
        round.tools.approvalOf(toolName) === 'never'
          ? { decided: { approved: true, for_thread: true } as const }
          : requestStep(request, step),
      )
      return 'decided' in decision ? decision.decided : stepDecision(decision)
    },
  }

  /** Writes the result at once, so that files come right before the result of the call that made them. */
  const came = (text: string, is_error: boolean): CallEnd => {
    const output = limitOutput(text)
    const ms = Math.round(performance.now() - begun - waited)
    isOver = true
    tell((writer) =>
      writer.onToolResult({ tool_call_id: toolCallId, name: toolName, output, is_error, sources, ms }),
    )
    return { output, is_error, pictures }
  }

  async function run(): Promise<CallEnd> {
    try {
      await slot.enter()
      const { tools } = round
      const tool = tools.get(toolName)
      if (!tool) throw new Error(`there is no tool "${toolName}" that could be used now`)
      if (isRemote(tool)) {
        const decision = answers.shift()
        return decision
          ? came(answerOf(decision), false)
          : { requests: [requestResult(request, input, tool, facts.locale)] }
      }
      let args = readInput(tool, input, { isCut }) as never
      const { approval } = recorded
      if (approval?.type === 'edit')
        args = readInput(tool, JSON.stringify(approval.edited_action.args)) as never
      else if (approval?.type === 'reject') throw new Error(toRejection(approval))
      else if (!approval) {
        const rule = tools.approvalOf(toolName)
        const isNeeded =
          rule === 'always' || (rule === 'tool decides' && (await tool.needsApproval?.(args, context)))
        if (isNeeded === true)
          return { requests: [requestApproval(request, parseArguments(input), tool, facts.locale)] }
      }
      // Nothing is started for a turn that has ended meanwhile.
      signal.throwIfAborted()
      return came(await tool.execute(args, context), false)
    } catch (error) {
      signal.throwIfAborted()
      return came((error as Error).message, true)
    } finally {
      slot.leave()
    }
  }

  return startRound(first)
}

const toRejection = (decision: Decision): string =>
  ('message' in decision && decision.message?.trim()) || 'The user rejected this.'

const stepDecision = (decision: Decision): StepDecision => {
  if (decision.type === 'approve') return { approved: true, for_thread: decision.for_thread === true }
  return { approved: false, ...('message' in decision && { message: decision.message }) }
}

/** The most calls of a turn that work at the same time: more would delay the turns of others. */
const MAX_WORKING = 4

/** Creates the slot of a call, which the call has not entered; the calls of a turn share the permits. */
function createCallSlot(permits: Semaphore, signal: AbortSignal) {
  let free: (() => void) | undefined
  const self = {
    /** Waits for a slot; rejects when the call is aborted. */
    async enter(): Promise<void> {
      free = await permits.acquire(MAX_WORKING, signal)
    },
    leave(): void {
      free?.()
      free = undefined
    },
    /** Waits for something without a slot. */
    async outside<Value>(wait: () => Promise<Value>): Promise<Value> {
      self.leave()
      try {
        return await wait()
      } finally {
        await self.enter()
      }
    },
  }
  return self
}
