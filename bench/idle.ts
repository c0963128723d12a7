import { setTimeout as sleep } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import { type Counts, countCommands, difference } from './commands.ts'
import type { Figure, Row } from './figure.ts'
import { readCpuMs } from './service.ts'

/** The pauses before the two windows: in the first one, code is still being compiled. */
const WARM_UPS_MS = { 'first minute': 15_000, later: 30_000 }
const WINDOW_MS = 30_000

/** Measures what a server costs that nobody uses: its share of a core, and its database commands. */
export const measureIdle: Figure = async (stage) => {
  const service = await stage.startService(await stage.createHome())
  await stage.createAccount(service)
  const { uri, pid } = await service.engine()
  const client = new MongoClient(uri)
  const pids = [service.pid, pid]
  const rows: Row[] = []
  try {
    for (const [name, warmUpMs] of Object.entries(WARM_UPS_MS)) {
      await sleep(warmUpMs)
      const startCpu = await Promise.all(pids.map(readCpuMs))
      const commands = await difference(
        () => countCommands(client),
        () => sleep(WINDOW_MS),
      )
      const after = await Promise.all(pids.map(readCpuMs))
      const [server, engine] = after.map((ms, index) => ((ms - startCpu[index]!) / WINDOW_MS) * 100)
      rows.push(
        { measure: `server, ${name}`, value: server!, unit: '% of a core' },
        { measure: `engine, ${name}`, value: engine!, unit: '% of a core' },
        toRow(`commands, ${name}`, commands),
      )
    }
    return rows
  } finally {
    await client.close()
  }
}

function toRow(measure: string, commands: Counts): Row {
  const seconds = WINDOW_MS / 1000
  const counted = Object.entries(commands).filter(([, total]) => total > 0)
  return {
    measure,
    value: counted.reduce((sum, [, total]) => sum + total, 0) / seconds,
    unit: 'a second',
    note: counted.map(([name, total]) => `${name} ${(total / seconds).toFixed(2)}`).join(', '),
  }
}
