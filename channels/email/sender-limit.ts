/** The most mails of one person that are answered in an hour, so that two programs that answer each other end. */
const MAX_MAILS = 60
const WINDOW_MS = 3_600_000

/** Bounds the mails of each sender. */
export type SenderLimit = ReturnType<typeof createSenderLimit>

/** Creates the bound; `now` returns Unix milliseconds. */
export function createSenderLimit(now: () => number = Date.now) {
  const times = new Map<string, number[]>()
  return {
    /** Counts a mail; returns why it is not answered if its sender has written too many. */
    count(sender: string): string | undefined {
      const start = now() - WINDOW_MS
      for (const [address, list] of times) if (list.at(-1)! < start) times.delete(address)
      const recent = (times.get(sender) ?? []).filter((time) => time >= start)
      if (recent.length >= MAX_MAILS) return `its sender wrote more than ${MAX_MAILS} mails within an hour`
      times.set(sender, [...recent, now()])
      return undefined
    },
  }
}
