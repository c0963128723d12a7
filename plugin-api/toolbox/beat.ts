/** The shortest and the longest time between two beats, in milliseconds: one more for each stream. */
const INTERVAL_MS = { least: 25, most: 100 }

let readers: (() => void)[] = []
let writers: (() => void)[] = []
let isSet = false
/** True while the readers of a beat read. */
let isReading = false
/** The streams of the last beat. */
let streams = 0

/** Sets the timer of the next beat, which all streams of the process share, unless it is set. */
function setTimer(): void {
  if (isSet) return
  isSet = true
  setTimeout(beat, Math.min(INTERVAL_MS.most, Math.max(INTERVAL_MS.least, streams)))
}

function beat(): void {
  isSet = false
  isReading = true
  const due = readers
  readers = []
  for (const read of due) read()
  setImmediate(writeAll, due.length)
}

function writeAll(readStreams: number): void {
  isReading = false
  const due = writers
  writers = []
  streams = Math.max(readStreams, due.length)
  for (const write of due) write()
}

/**
 * Calls `read` at the next beat, so that what has arrived meanwhile is read at once. Beats come every 25 to 100 ms, the more
 * streams the later.
 */
export function atBeat(read: () => void): void {
  readers.push(read)
  setTimer()
}

/** Calls `write` once the readers of the present or the next beat have read, so that all streams are written together. */
export function afterBeat(write: () => void): void {
  writers.push(write)
  if (!isReading) setTimer()
}
