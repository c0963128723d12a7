import { tap } from '@tapjs/core'
import type { Test } from '@tapjs/test'

/** The parent of all tests of this process, whose teardown runs when they have ended. */
export const root = tap()

let current: Test = root

/** The parent of the tests of the running file; tap's root test if the file was started with `node`. */
export { current as default, type Test }

/** Runs a test file as one test of this process. Resolves when all tests of the file have ended. */
export async function runFile(name: string, url: URL): Promise<void> {
  await root.test(name, async (t) => {
    current = t
    await import(url.href)
  })
}
