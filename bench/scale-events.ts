/** The next step of a simulation. */
export type Then = () => void

/** Creates cores that take work, in milliseconds, in its order; work that comes to an idle core also costs `wakeMs`. */
export function createCores(count: number, clock: ReturnType<typeof createClock>, wakeMs = 0) {
  const freeAt = Array<number>(count).fill(0)
  let workMs = 0
  let wakes = 0
  const add = (ms: number, newWakes: number, then: Then) => {
    const core = freeAt.indexOf(Math.min(...freeAt))
    const took = ms + newWakes * wakeMs
    workMs += took
    wakes += newWakes
    freeAt[core] = Math.max(freeAt[core]!, clock.now()) + took
    clock.after(freeAt[core]! - clock.now(), then)
  }
  const backlogMs = () => Math.max(0, Math.min(...freeAt) - clock.now())
  return {
    run: (ms: number, then: Then = () => {}) => add(ms, backlogMs() > 0 ? 0 : 1, then),
    /** Takes pieces of work that come at random times within a span, on one core. */
    runMany(pieces: number, ms: number, spanMs: number, then: Then) {
      const rate = pieces / spanMs
      const busyShare = Math.min(1, (rate * (ms + wakeMs)) / (1 + rate * wakeMs))
      const idleShare = Math.max(0, 1 - backlogMs() / spanMs) * (1 - busyShare)
      add(pieces * ms, pieces * idleShare, then)
    },
    /** Returns the work that has come since the last reset, relative to what the cores can do in this time. */
    use: (elapsedMs: number) => workMs / (count * elapsedMs),
    wakes: () => wakes,
    reset() {
      workMs = 0
      wakes = 0
    },
  }
}

/** Creates a clock that runs events in the order of their times, in milliseconds. */
export function createClock() {
  /** A binary heap. */
  const heap: { at: number; then: Then }[] = []
  let now = 0
  const isLater = (a: number, b: number) => heap[a]!.at > heap[b]!.at
  const swap = (a: number, b: number) => {
    ;[heap[a], heap[b]] = [heap[b]!, heap[a]!]
  }
  const takeFirst = () => {
    const [first] = heap
    const last = heap.pop()!
    if (heap.length > 0) heap[0] = last
    for (let parent = 0; ; ) {
      let child = 2 * parent + 1
      if (child >= heap.length) return first!
      if (child + 1 < heap.length && isLater(child, child + 1)) child += 1
      if (!isLater(parent, child)) return first!
      swap(parent, child)
      parent = child
    }
  }
  return {
    now: () => now,
    after(ms: number, then: Then) {
      heap.push({ at: now + ms, then })
      for (let child = heap.length - 1; child > 0; ) {
        const parent = (child - 1) >> 1
        if (!isLater(parent, child)) return
        swap(parent, child)
        child = parent
      }
    },
    runUntil(end: number) {
      while (heap.length > 0 && heap[0]!.at <= end) {
        const { at, then } = takeFirst()
        now = at
        then()
      }
      now = end
    },
  }
}

/** Returns random numbers from 0 to 1 that are the same each time. */
export function createRandom() {
  let state = 1
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
