import { quantile, type Row } from './figure.ts'
import { fitCosts, type MeasuredRun } from './scale-fit.ts'
import type { Measured, Run } from './scale-load.ts'
import { type Costs, type Load, type Outcome, simulate } from './scale-model.ts'

/** The interval of the beat, in milliseconds, and the streams for each of them: see plugin-api/toolbox/beat.ts. */
const PACE = { least: 25, most: 100, streamsPerMs: 1 }

/** Servers that use less in a second do not make each other wait, in milliseconds. */
const CALM_MS = 600

const target = { streams: 10_000, tokensPerSecond: 30, tokensPerTurn: 400, readElsewhere: 0.1, natsCores: 2 }
const pauses = { 'all streaming': 0, 'pauses of 20 s': 20 }
/** The use of a part that has no time left. */
const FULL = 0.95
/** The first token, p95, that nobody waits for, in milliseconds. */
const BROKEN_MS = 1000
const serverCounts = [2, 4, 8, 16, 32]
const engineCoreCounts = [4, 8, 16]

const paceOf = (streams: number) => Math.min(PACE.most, Math.max(PACE.least, streams / PACE.streamsPerMs))

/** The measurements: runs that costs are drawn from, runs that the model is compared with, and waits. */
export interface Measurements {
  calibrated: MeasuredRun[]
  checked: MeasuredRun[]
  /** Milliseconds a second that one server costs while nobody does anything. */
  idle: { server: number; engine: number }
  /** The wait of a commit for the journal, in milliseconds. */
  journalMs: number
}

/** Returns the rows for what was measured: costs, the comparison with the model, and what it says of 10,000 streams. */
export function report({ calibrated, checked, idle, journalMs }: Measurements): Row[] {
  const fitted = { ...fitCosts(calibrated, idle), journalMs, outsideMs: 0 }
  const waits = calibrated
    .filter(({ measured }) => measured.servers.every(({ cpuMs }) => cpuMs < CALM_MS))
    .map(({ run, measured }) => quantile(measured.firstMs, 0.5) - simulate(fitted, toLoad(run)).firstP50)
  const costs = { ...fitted, outsideMs: Math.max(0, quantile(waits, 0.5)) }
  return [
    ...toCostRows(costs),
    ...calibrated.flatMap(({ run, measured }) =>
      compare(`costs, ${describe(run)}`, costs, run, measured).slice(0, 2),
    ),
    ...checked.flatMap(({ run, measured }) => compare(describe(run), costs, run, measured)),
    ...Object.entries(pauses).flatMap(([name, pauseSeconds]) => predict(name, costs, pauseSeconds)),
  ]
}

const toLoad = ({ spread, words, pauseMs, restMs, isReadElsewhere }: Run): Load => ({
  streams: spread.reduce((sum, streams) => sum + streams, 0),
  tokensPerSecond: 1000 / pauseMs,
  tokensPerTurn: words,
  pauseSeconds: restMs / 1000,
  readElsewhere: isReadElsewhere ? 1 : 0,
  servers: spread.length,
  isUneven: spread.includes(0),
  engineCores: 2,
  natsCores: 2,
  paceOf,
})

const describe = ({ spread, words, pauseMs, restMs, isReadElsewhere }: Run) =>
  [
    `${spread.join('+')} streams`,
    `${words} words each ${pauseMs} ms`,
    ...(restMs > 0 ? [`${restMs} ms between`] : []),
    ...(isReadElsewhere ? ['read elsewhere'] : []),
  ].join(', ')

function toCostRows(costs: Costs): Row[] {
  const waits = { journal: costs.journalMs, 'first text, outside': costs.outsideMs }
  const groups = Object.entries({ server: costs.server, engine: costs.engine, nats: costs.nats, wait: waits })
  return groups.flatMap(([part, each]) =>
    Object.entries(each).map(
      ([name, ms]): Row => ({ measure: `${part}: ${name}`, value: ms * 1000, unit: 'µs' }),
    ),
  )
}

/** Returns what a run has cost relative to the model, and both values. */
function compare(name: string, costs: Costs, run: Run, measured: Measured): Row[] {
  const load = toLoad(run)
  const outcome = simulate(costs, load)
  const sum = (field: keyof Measured['servers'][number]) =>
    measured.servers.reduce((total, server) => total + server[field], 0)
  const pairs: Record<string, [predicted: number, measured: number, unit: string]> = {
    'servers, CPU': [outcome.serversMs, sum('cpuMs'), 'ms/s'],
    'engine, CPU': [outcome.use.engine * load.engineCores * 1000, measured.engineMs, 'ms/s'],
    'NATS, CPU': [outcome.use.nats * load.natsCores * 1000, measured.natsMs, 'ms/s'],
    'first token, p50': [outcome.firstP50, quantile(measured.firstMs, 0.5), 'ms'],
    'first token, p95': [outcome.firstP95, quantile(measured.firstMs, 0.95), 'ms'],
    wakes: [outcome.wakesPerSecond, sum('wakes'), '/s'],
    tokens: [outcome.tokensPerSecond, sum('tokens'), '/s'],
    texts: [outcome.textsPerSecond, sum('texts'), '/s'],
    commits: [outcome.commitsPerSecond, measured.commits, '/s'],
  }
  const isAlone = run.spread.length === 1
  return Object.entries(pairs)
    .filter(([what]) => !(isAlone && what.startsWith('NATS')))
    .map(
      ([what, [expected, actual, unit]]): Row => ({
        measure: `${name}: ${what}`,
        value: expected / actual,
        unit: 'predicted / measured',
        note: `${expected.toFixed(1)} / ${actual.toFixed(1)} ${unit}`,
      }),
    )
}

/** Asks the model what becomes of the streams on each number of servers and cores, and how many each carries. */
function predict(name: string, costs: Costs, pauseSeconds: number): Row[] {
  return serverCounts.flatMap((servers) =>
    engineCoreCounts.map((engineCores): Row => {
      const load = { ...target, pauseSeconds, servers, engineCores, isUneven: false, paceOf }
      const outcome = simulate(costs, load)
      const full = findLeast(costs, load, isFull)
      const broken = findLeast(costs, load, isBroken)
      const use = Object.entries(outcome.use).map(([part, share]) => `${part} ${share.toFixed(2)}`)
      const first = Number.isNaN(outcome.firstP50)
        ? 'no first token within 5 s'
        : `first token ${outcome.firstP50.toFixed(0)} and ${outcome.firstP95.toFixed(0)} ms`
      return {
        measure: `${name}, ${servers} servers, ${engineCores} cores: breaks at`,
        value: broken.streams,
        unit: 'streams',
        note: `${busiest(broken.use)[0]}; ${busiest(full.use)[0]} full from ${full.streams}; at ${target.streams}: ${use.join(', ')}; ${first}; ${outcome.tokensPerSecond.toFixed(0)} tokens/s`,
      }
    }),
  )
}

/** Finds the least number of streams, to three percent, whose outcome is of a kind. */
function findLeast(
  costs: Costs,
  load: Load,
  isOfKind: (outcome: Outcome) => boolean,
): Outcome & { streams: number } {
  const ask = (streams: number) => ({ ...simulate(costs, { ...load, streams }), streams })
  let fewer = 0
  let least = ask(100 * load.servers)
  while (!isOfKind(least)) {
    fewer = least.streams
    least = ask(fewer * 2)
  }
  while (least.streams - fewer > least.streams * 0.03) {
    const between = ask(Math.round((fewer + least.streams) / 2))
    if (isOfKind(between)) least = between
    else fewer = between.streams
  }
  return least
}

/** True if a part has no time left: the texts of a busy server become longer and fewer, so that its use hardly rises. */
const isFull = ({ use }: Outcome) => busiest(use)[1] >= FULL
/** True if people notice; a server whose work piles up shows no first token at all. */
const isBroken = ({ firstP95 }: Outcome) => !(firstP95 < BROKEN_MS)

const busiest = (use: Outcome['use']) => Object.entries(use).sort(([, a], [, b]) => b - a)[0]!
