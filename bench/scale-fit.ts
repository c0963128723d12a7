import type { Measured, Run } from './scale-load.ts'
import type { Costs } from './scale-model.ts'

const ROUNDS = 20_000
/** Smaller values are ticks of the clock as much as work, in milliseconds a second. */
const LEAST_MS = 20

/** The processor time of one process in one run, with the number of each piece of its work. */
interface Sum<Name extends string> {
  work: Partial<Record<Name, number>>
  ms: number
}

/** A run with what it has cost. */
export interface MeasuredRun {
  run: Run
  measured: Measured
}

/**
 * Returns the costs with which the work of the runs adds up to their processor time as well as possible; `idle` is that of
 * one server without any work, in milliseconds a second.
 */
export function fitCosts(
  runs: readonly MeasuredRun[],
  idle: { server: number; engine: number },
): Omit<Costs, 'journalMs' | 'outsideMs'> {
  const server = runs.flatMap(({ run, measured }) => {
    const turns = sum(measured.servers.map((one) => one.turns))
    return measured.servers.map((one, index) => ({
      ms: one.cpuMs - idle.server,
      work: {
        ...one,
        wake: one.wakes,
        turn: one.turns,
        token: one.tokens,
        text: one.texts,
        commit: (measured.commits * run.spread[index]!) / sum(run.spread),
        publish: run.spread.length > 1 ? one.texts : 0,
        foreignTurn: turns - one.turns,
        foreignText: one.foreignTexts,
        together: run.spread.length > 1 ? 1 : 0,
      },
    }))
  })
  const totals = runs.map(({ run, measured }) => {
    const total = (field: 'turns' | 'texts' | 'foreignTexts') =>
      sum(measured.servers.map((one) => one[field]))
    const [turn, text, foreignText] = [total('turns'), total('texts'), total('foreignTexts')]
    const servers = run.spread.length
    const together = servers > 1 ? servers : 0
    const [publish, foreignTurn] = [servers > 1 ? text : 0, turn * (servers - 1)]
    return {
      ...measured,
      idle: idle.engine * servers,
      turn,
      text,
      publish,
      foreignTurn,
      foreignText,
      together,
    }
  })
  const engine = totals.map(({ engineMs, idle, commits, turn, text, together }) => ({
    ms: engineMs - idle,
    work: { turn, text, commit: commits, together },
  }))
  const nats = totals
    .filter(({ publish }) => publish > 0)
    .map(({ natsMs, turn, publish, foreignTurn, foreignText }) => ({
      ms: natsMs,
      work: { turn, publish, foreignTurn, foreignText },
    }))
  return {
    server: {
      ...fit(
        ['wake', 'turn', 'token', 'text', 'commit', 'publish', 'foreignTurn', 'foreignText', 'together'],
        server,
      ),
      idle: idle.server,
    },
    engine: { ...fit(['turn', 'text', 'commit', 'together'], engine), idle: idle.engine },
    nats: fit(['turn', 'publish', 'foreignTurn', 'foreignText'], nats),
  }
}

/** Returns the costs, none below zero, with the least squares of the errors relative to what was measured. */
function fit<Name extends string>(names: readonly Name[], sums: readonly Sum<Name>[]): Record<Name, number> {
  const rows = sums.map(({ work, ms }) => {
    const scale = Math.max(ms, LEAST_MS)
    return { work: names.map((name) => (work[name] ?? 0) / scale), ms: ms / scale }
  })
  const costs = names.map(() => 0)
  for (let round = 0; round < ROUNDS; round++)
    for (const column of names.keys()) {
      const square = sum(rows.map(({ work }) => work[column]! ** 2))
      const error = sum(
        rows.map(({ work, ms }) => work[column]! * (ms - sum(work.map((count, at) => count * costs[at]!)))),
      )
      if (square > 0) costs[column] = Math.max(0, costs[column]! + error / square)
    }
  return Object.fromEntries(names.map((name, column) => [name, costs[column]])) as Record<Name, number>
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
