import { setTimeout as sleep } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import type { Figure } from './figure.ts'
import type { MeasuredRun } from './scale-fit.ts'
import { type Cluster, measureJournalMs, measureRun, type Run, startNats } from './scale-load.ts'
import { type Measurements, report } from './scale-report.ts'
import { readCpuMs } from './service.ts'
import type { Stage } from './stage.ts'

const REST_MS = 4000
const usual: Omit<Run, 'spread'> = { words: 40, pauseMs: 33, restMs: 0, isReadElsewhere: false }
/** Runs that differ in each kind of work: costs are drawn from them. Three of them make a server busy. */
const calibrations: Record<number, Run[]> = {
  1: [
    { ...usual, spread: [40] },
    { ...usual, spread: [10], words: 200, pauseMs: 10 },
    { ...usual, spread: [6], words: 5, pauseMs: 10, restMs: 50 },
    { ...usual, spread: [200], words: 10, pauseMs: 250 },
    { ...usual, spread: [40], words: 5, pauseMs: 1 },
    { ...usual, spread: [150], words: 150, pauseMs: 20 },
    { ...usual, spread: [300], words: 60, pauseMs: 60 },
  ],
  2: [
    { ...usual, spread: [40, 0] },
    { ...usual, spread: [6, 0], words: 5, pauseMs: 10, restMs: 50 },
    { ...usual, spread: [20, 0], isReadElsewhere: true },
  ],
  3: [
    { ...usual, spread: [40, 0, 0] },
    { ...usual, spread: [6, 0, 0], words: 5, pauseMs: 10, restMs: 50 },
  ],
}
/** The numbers of streams with which the model is compared. */
const compared = [12, 24, 36]

/** Measures what work costs, compares a model with one to three servers, and asks it about 10,000 streams. */
export const measureScale: Figure = async (stage) => report(await measureAll(stage))

/** Runs everything that is measured here. */
async function measureAll(stage: Stage): Promise<Measurements> {
  const nats = await startNats()
  let client: MongoClient | undefined
  try {
    const home = await stage.createHome()
    const start = () => stage.startService(home, [], { SVC_NATS_URL: nats.url })
    const first = await start()
    const { chatUrl } = await stage.createAccount(first)
    const { uri, pid: enginePid } = await first.engine()
    client = await MongoClient.connect(uri)
    const { pathname, search } = new URL(chatUrl)
    const services = [first]
    const cluster: Cluster = {
      services,
      enginePid,
      natsPid: nats.child.pid!,
      client,
      chatPath: pathname + search,
    }
    const journalMs = await measureJournalMs(client)
    const measure = async (run: Run) => ({ run, measured: await measureRun(cluster, run) })
    const calibrated: MeasuredRun[] = []
    const checked: MeasuredRun[] = []
    for (let count = 1; count <= 3; count++) {
      if (count > 1) services.push(await start())
      const toEach = (streams: number) => ({ ...usual, spread: Array<number>(count).fill(streams / count) })
      // The code of a new server is not compiled yet.
      await measure(toEach(36))
      for (const run of calibrations[count]!) calibrated.push(await measure(run))
      for (const streams of compared) checked.push(await measure(toEach(streams)))
    }
    return { calibrated, checked, journalMs, idle: await measureIdle(cluster) }
  } finally {
    await client?.close()
    nats.child.kill()
  }
}

/** Measures the processor time of a second in which nobody does anything, in milliseconds for one server. */
async function measureIdle({ services, enginePid }: Cluster) {
  await sleep(REST_MS)
  const read = () => Promise.all([enginePid, ...services.map(({ pid }) => pid)].map(readCpuMs))
  const startMs = await read()
  await sleep(REST_MS)
  const spent = (await read()).map((ms, index) => (ms - startMs[index]!) / (REST_MS / 1000))
  const [engine, ...servers] = spent.map((ms) => ms / services.length)
  return { engine: engine!, server: servers.reduce((sum, ms) => sum + ms, 0) }
}
