/** The shortest and the longest time for which text is held back, in milliseconds. */
const INTERVAL_MS = { least: 25, most: 100 }
/** The number of streams for each millisecond of the interval. */
const STREAMS_PER_MS = 4

/** Holds back the text of streams, so that their tokens merge and all streams are written together. */
export type Pace = ReturnType<typeof createPace>

/** Creates a pace. */
export function createPace() {
  let waiting: (() => void)[] = []
  let streams = 0

  const sendAll = () => {
    const due = waiting
    waiting = []
    streams = due.length
    for (const send of due) send()
  }

  return {
    /** Calls `send` at the end of the current interval, which grows with the number of streams. */
    later(send: () => void): void {
      if (waiting.length === 0)
        setTimeout(sendAll, Math.min(INTERVAL_MS.most, Math.max(INTERVAL_MS.least, streams / STREAMS_PER_MS)))
      waiting.push(send)
    },
  }
}
