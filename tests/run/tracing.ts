import type { Base, TAP, Test } from 'tap'

/**
 * Ends tap's tracing of asynchronous steps, by which it finds the test that threw outside of its promise: a tenth of
 * the processor time of all tests. What is thrown so counts against the file that is running; `hasThrown` tells that it
 * happened, and that no file can be run after it.
 */
export function catchWithoutTracing(root: TAP, running: () => Test): { hasThrown(): boolean } {
  const untrace = (test: Base) => {
    test.hookDomain.destroy()
    test.on('subtestAdd', (added) => untrace(added as Base))
  }
  // As it does by itself with the first line it writes; only then does it trace what is thrown outside of all tests.
  root.pipe(process.stdout)
  root.hook.emitDestroy()
  untrace(root)
  let hasThrown = false
  process.on('uncaughtException', (error) => {
    hasThrown = true
    running().threw(error)
  })
  return { hasThrown: () => hasThrown }
}
