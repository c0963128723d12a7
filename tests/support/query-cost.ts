import type { TestServer } from './server.ts'

/** The rows that queries have examined. */
export interface QueryCost {
  documents: number
  /** The number of queries without an index. */
  scans: number
  /** The number of queries whose rows had to be sorted. */
  sorts: number
}

const RUNS = 4

/** Reads what the database has examined so far, in all queries of all kinds. */
async function examined({ db }: TestServer): Promise<QueryCost> {
  const { metrics } = await db.command({ serverStatus: 1, none: true, metrics: true })
  const { scannedObjects, collectionScans } = metrics.queryExecutor
  const counted = [scannedObjects, collectionScans.total, metrics.operation.scanAndOrder].map(Number)
  return { documents: counted[0]!, scans: counted[1]!, sorts: counted[2]! }
}

/**
 * Measures an operation. Other work of the server runs beside it, so this returns the least of several runs, or the
 * first run that is cheap enough.
 */
export async function costOf(
  server: TestServer,
  operation: () => Promise<unknown>,
  isEnough: (cost: QueryCost) => boolean = () => false,
): Promise<QueryCost> {
  const costs: QueryCost[] = []
  for (let run = 0; run < RUNS && !costs.some(isEnough); run += 1) {
    const start = await examined(server)
    await operation()
    const after = await examined(server)
    costs.push({
      documents: after.documents - start.documents,
      scans: after.scans - start.scans,
      sorts: after.sorts - start.sorts,
    })
  }
  const least = (field: keyof QueryCost) => Math.min(...costs.map((cost) => cost[field]))
  return { documents: least('documents'), scans: least('scans'), sorts: least('sorts') }
}
