import { url } from 'node:inspector'
import { takeActivePlugins } from '../contract/isolation.ts'
import type { Logger } from '../log.ts'

/** The delay of a look that is logged, in milliseconds. A stall lasts up to one interval longer than the delay. */
const STALL_MS = 1000
const LOOK_MS = 250

/** Logs which third-party plugins may have blocked the event loop for more than a second: the plugins that were at work. */
export function watchStalls(log: Logger): { stop(): void } {
  let lookedAt = performance.now()
  const timer = setInterval(() => {
    const plugins = takeActivePlugins()
    const now = performance.now()
    const ms = Math.round(now - lookedAt - LOOK_MS)
    lookedAt = now
    // A breakpoint blocks as well.
    if (ms < STALL_MS || url() !== undefined) return
    log.warn({ plugins, ms }, 'a plugin blocks the event loop for more than a second')
  }, LOOK_MS).unref()
  return { stop: () => clearInterval(timer) }
}
