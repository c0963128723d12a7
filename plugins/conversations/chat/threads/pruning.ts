import type { Cradle } from '../manifest.ts'

const DAY_SECONDS = 86_400

/** Removes threads that were idle for longer than the settings say, or counts them. Pinned ones are kept. */
export async function pruneThreads(
  { chat, threads, clock, config: { keep_days } }: Pick<Cradle, 'chat' | 'threads' | 'clock' | 'config'>,
  dry_run: boolean,
): Promise<{ kind: string; keep_days: number | null; count: number }> {
  const kind = 'threads'
  if (keep_days === undefined) return { kind, keep_days: null, count: 0 }
  let count = 0
  for await (const { _id } of threads.listIdle(clock.seconds() - keep_days * DAY_SECONDS)) {
    count += 1
    if (!dry_run) await chat.purge(await threads.hide({ _id }))
  }
  return { kind, keep_days, count }
}
