import type { MongoClient } from 'mongodb'

/** The number of runs of each command, by name. */
export type Counts = Record<string, number>

/** Reads how often each command has run. */
export async function countCommands(client: MongoClient): Promise<Counts> {
  const { metrics } = await client.db('admin').command({ serverStatus: 1 })
  const commands = Object.entries(metrics.commands as Record<string, { total?: number | bigint }>)
  return Object.fromEntries(commands.map(([name, { total }]) => [name, Number(total ?? 0)]))
}

/** Returns what a piece of work adds. */
export async function difference(count: () => Promise<Counts>, work: () => Promise<void>): Promise<Counts> {
  const start = await count()
  await work()
  const after = await count()
  return Object.fromEntries(Object.entries(after).map(([name, total]) => [name, total - (start[name] ?? 0)]))
}
