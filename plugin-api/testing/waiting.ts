import { setTimeout as pause } from 'node:timers/promises'

/** The longest time that something may take to happen, in milliseconds. */
const PATIENCE_MS = 120_000
/** Looks again soon at first, and later after a fifth of the time that has passed: each look may be a request. */
const LOOK_AGAIN_MS = { first: 10, last: 100 }

/**
 * Waits until `look` returns something true, and returns it. Throws after two minutes; `what` says what never happened, and
 * may be a function that then says it. */
export async function eventually<Value>(
  what: string | (() => string),
  look: () => Value | undefined | false | null | Promise<Value | undefined | false | null>,
): Promise<Value> {
  const { first, last } = LOOK_AGAIN_MS
  for (const begin = Date.now(); ; ) {
    const value = await look()
    if (value) return value
    const waited = Date.now() - begin
    if (waited > PATIENCE_MS) throw new Error(`waited in vain: ${typeof what === 'string' ? what : what()}`)
    await pause(Math.min(Math.max(first, waited / 5), last))
  }
}

/** A promise and the function that settles it, to hold an upstream. */
export function createHold(): { hold: Promise<void>; release: () => void } {
  let release = () => {}
  const hold = new Promise<void>((resolve) => {
    release = resolve
  })
  return { hold, release }
}
