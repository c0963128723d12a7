import { setTimeout as pause } from 'node:timers/promises'
import { amount } from '../run/tier.ts'

/** The longest wait of a cell, in milliseconds: in the long tier, beyond every time limit of a call. */
const PATIENCE_MS = amount({ short: 90_000, long: 180_000 })
const LOOK_AGAIN_MS = 100

/** Waits until `look` returns something true, and returns it. */
export async function soon<Value>(
  what: string,
  look: () => Value | undefined | false | null | Promise<Value | undefined | false | null>,
): Promise<Value> {
  for (const end = Date.now() + PATIENCE_MS; ; await pause(LOOK_AGAIN_MS)) {
    const value = await look()
    if (value) return value
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`)
  }
}
