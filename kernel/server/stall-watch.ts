import { url } from 'node:inspector'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { takeActivePlugins } from '../contract/isolation.ts'
import type { Logger } from '../log.ts'

/** The delay of the event loop that is logged, in milliseconds. */
const STALL_MS = 1000
const LOOK_MS = 250

/** Logs which third-party plugins may have blocked the event loop for more than a second: the plugins that were at work. */
export function watchStalls(log: Logger): { stop(): void } {
  const delays = monitorEventLoopDelay()
  delays.enable()
  const timer = setInterval(() => {
    const plugins = takeActivePlugins()
    const ms = Math.round(delays.max / 1e6)
    delays.reset()
    // A breakpoint blocks as well.
    if (ms < STALL_MS || url() !== undefined) return
    log.warn({ plugins, ms }, 'a plugin blocks the event loop for more than a second')
  }, LOOK_MS).unref()
  return {
    stop() {
      clearInterval(timer)
      delays.disable()
    },
  }
}
