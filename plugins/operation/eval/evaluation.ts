import { setMaxListeners } from 'node:events'
import type { createAttachments } from './attachments.ts'
import type { EvalCase } from './cases.ts'
import { findFailures } from './checks.ts'
import { readVerdict, toJudgeMessage } from './judge.ts'
import { addCosts, type Consumption, type TurnResult, type TurnRunner } from './turn.ts'

/** One run of a case by one version; it has passed if it has no failures. */
export interface Run extends Omit<TurnResult, 'error'> {
  failures: string[]
  /** The judge's reason. */
  reason?: string
}

/** The agents of one version in the account of the evaluation. */
export interface Side {
  turns: TurnRunner
  attach: ReturnType<typeof createAttachments>
}

/** The runs of a case: a list for each version. */
export interface CaseRuns {
  case: EvalCase
  sides: Run[][]
}

/** The outcome of an evaluation; incomplete if it was interrupted or the server became unreachable. */
export interface Evaluation {
  cases: CaseRuns[]
  /** The tokens and the cost of the judge. */
  judge: Consumption
  interrupted: boolean
  /** Why the runs ended early. */
  problem?: string
}

/** Runs all cases `repeat` times by each side, at most `parallel` at a time; `onRun` is called after each. */
export async function evaluate(
  cases: readonly EvalCase[],
  {
    sides,
    judge,
    repeat,
    parallel,
    signal,
    onRun,
  }: {
    sides: readonly Side[]
    judge: TurnRunner | undefined
    repeat: number
    parallel: number
    signal: AbortSignal
    onRun(run: Run): void
  },
): Promise<Evaluation> {
  const ending = new AbortController()
  const ended = ending.signal
  // Each turn that runs follows it.
  setMaxListeners(0, ended)
  const leave = () => ending.abort()
  signal.addEventListener('abort', leave)
  if (signal.aborted) leave()
  const judged: Consumption = { input_tokens: 0, output_tokens: 0, cost: 0 }
  const results = cases.map((one): CaseRuns => ({ case: one, sides: sides.map(() => []) }))
  let problem: string | undefined

  const askJudge = async (one: EvalCase, run: Run, criterion: string) => {
    const message = toJudgeMessage(one, { answer: run.text, criterion })
    const reply = await judge!.run(message, ended)
    judged.input_tokens += reply.input_tokens
    judged.output_tokens += reply.output_tokens
    judged.cost = addCosts(judged.cost, reply.cost)
    if (reply.error !== undefined) return run.failures.push(`the judge failed: ${reply.error}`)
    const { passed, reason } = readVerdict(reply.text)
    run.reason = reason
    if (!passed) run.failures.push(`judge: ${reason}`)
    return undefined
  }

  const runOnce = async (one: EvalCase, { turns, attach }: Side): Promise<Run> => {
    const { error, ...result } = await turns.run(await attach(one.input, one.files), ended)
    const run: Run = { ...result, failures: [] }
    if (error !== undefined) run.failures.push(`no answer: ${error}`)
    else run.failures.push(...(await findFailures(one.expect, run)))
    const { judge: criterion } = one.expect
    // A judge costs as much as the answer, so it is not asked about one that has failed already.
    if (criterion !== undefined && run.failures.length === 0) await askJudge(one, run, criterion)
    return run
  }

  const end = (error: unknown) => {
    if (!ended.aborted) problem = (error as Error).message
    ending.abort()
  }
  const jobs = results.flatMap(({ case: one, sides: runs }) =>
    Array.from({ length: repeat }).flatMap(() =>
      sides.map((side, index) => async () => {
        const run = await runOnce(one, side)
        runs[index]!.push(run)
        onRun(run)
      }),
    ),
  )
  const waiting = jobs.values()
  const work = async () => {
    for (const job of waiting) {
      if (ended.aborted) return
      await job()
    }
  }
  await Promise.all(Array.from({ length: parallel }, work).map((worker) => worker.catch(end)))
  signal.removeEventListener('abort', leave)
  return { cases: results, judge: judged, interrupted: signal.aborted, ...(problem && { problem }) }
}
