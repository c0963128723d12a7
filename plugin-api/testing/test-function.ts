/** The subset of a running test that the kit uses, which `node:test` and tap share. */
export interface TestContext {
  /** Calls this when the test has ended. */
  after(cleanUp: () => unknown): void
  test: TestFunction
}

/** Declares a test, as `test` of `node:test` and `t.test` of tap do. */
export type TestFunction = (name: string, run: (t: TestContext) => Promise<void>) => unknown

/** Declares one of the tests that run one after another; `advice` tells the author of a failing kind what to change. */
export type AddTest = (name: string, run: () => Promise<void>, advice?: string) => Promise<void>

/** The longest time that one test may take, in milliseconds. */
const TEST_LIMIT_MS = 300_000

/** A test of tap, which by default ends the whole file after 30 seconds. */
interface LimitedTest {
  setTimeout?(ms: number): void
  parent?: LimitedTest
}

/** Extends the time of a test and the tests around it, from now on, for a slow machine. */
export function extendLimit(t: object): void {
  for (let one: LimitedTest | undefined = t; one; one = one.parent) one.setTimeout?.(TEST_LIMIT_MS)
}

/** Returns an error that says what failed and what to change. */
const withAdvice = (error: Error, advice: string) =>
  new Error(`${error.message.replace(/\.$/, '')}. ${advice}`, { cause: error })

/** Declares tests that run one after another within one test of this name. */
export function declareTests(
  test: TestFunction,
  name: string,
  declare: (t: TestContext, add: AddTest) => Promise<void>,
): unknown {
  return test(name, async (t) => {
    extendLimit(t)
    await declare(t, async (name, run, advice) => {
      await t.test(name, async (t) => {
        extendLimit(t)
        await run().catch((error) => {
          throw advice === undefined ? error : withAdvice(error, advice)
        })
      })
    })
  })
}
