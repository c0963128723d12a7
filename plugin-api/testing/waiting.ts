import { setTimeout as pause } from 'node:timers/promises'

/** The longest time that something may take to happen, in milliseconds. */
const PATIENCE_MS = 60_000
const LOOK_AGAIN_MS = 10

/** Waits until `look` returns something true, and returns it. Throws after a minute; `what` says what never happened. */
export async function eventually<Value>(
  what: string,
  look: () => Value | undefined | false | null | Promise<Value | undefined | false | null>,
): Promise<Value> {
  for (const end = Date.now() + PATIENCE_MS; ; ) {
    const value = await look()
    if (value) return value
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`)
    await pause(LOOK_AGAIN_MS)
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
