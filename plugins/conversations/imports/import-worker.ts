import { acquireLease, isUnavailable } from '#plugin-api'
import { runImport } from './import-run.ts'
import type { Cradle } from './manifest.ts'

/** The duration of a lease, and the interval of its renewal, in milliseconds. */
const LEASE_MS = 6000
const RENEW_MS = 1000
/** The most imports that this process runs at once, which share its memory. */
const MAX_RUNNING = 2
/** The most imports that are looked at. */
const MAX_LISTED = 50

/** Runs imports in the background: each in one process at a time, and again where its process ended. */
export type ImportWorker = ReturnType<typeof createImportWorker>

/** Creates the worker of this process. */
export function createImportWorker(
  cradle: Pick<
    Cradle,
    | 'agents'
    | 'clock'
    | 'collections'
    | 'config'
    | 'conversationStore'
    | 'explainError'
    | 'importFiles'
    | 'imports'
    | 'log'
    | 'server'
  >,
) {
  const { clock, imports, log, server } = cradle
  const { import_leases: leases } = cradle.collections
  const holder = server.node_id
  const stopping = new AbortController()
  const running = new Map<string, Promise<void>>()

  const acquire = (name: string) => {
    const now = clock.now()
    return acquireLease(leases, { name, holder, now, until: now + LEASE_MS })
  }

  /** Runs an import if no other process does. */
  const work = async (_id: string) => {
    const current =
      (await acquire(_id)) && (await imports.listActive(MAX_LISTED)).find((one) => one._id === _id)
    if (!current) return
    const lost = new AbortController()
    const renewal = setInterval(() => {
      Promise.all([acquire(_id), imports.isActive(current)]).then(
        ([isOurs, isActive]) => (isOurs && isActive) || lost.abort(),
        (error) => log.warn({ error, import_id: _id }, 'the lease of an import could not be renewed'),
      )
    }, RENEW_MS)
    try {
      await runImport(current, AbortSignal.any([stopping.signal, lost.signal]), cradle)
    } finally {
      clearInterval(renewal)
      await leases.deleteOne({ _id, holder })
    }
  }

  const start = (_id: string) => {
    if (stopping.signal.aborted || running.size >= MAX_RUNNING || running.has(_id)) return
    const run = work(_id)
      .catch((error) => {
        if (!isUnavailable(error)) log.error({ error, import_id: _id }, 'an import could not be run')
      })
      .finally(() => {
        running.delete(_id)
      })
    running.set(_id, run)
  }

  return {
    start,
    /** Starts the imports that no process runs, also after a crash. */
    async look(): Promise<void> {
      for (const { _id } of await imports.listActive(MAX_LISTED)) start(_id)
    },
    /** Resolves when this process runs the import no longer. */
    ended: (_id: string): Promise<void> | undefined => running.get(_id),
    /** Interrupts the imports; another process continues them. */
    async stop(): Promise<void> {
      stopping.abort()
      await Promise.all(running.values())
    },
    /** Removes the leases that crashed processes have left. */
    async clean(): Promise<void> {
      await leases.deleteMany({ until: { $lt: clock.now() - LEASE_MS } })
    },
  }
}
