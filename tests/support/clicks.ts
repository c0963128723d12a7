import type { Page } from 'playwright-core'

/** Counts the clicks and taps of a page as the browser sees them, whatever code makes them; keys are not counted. */
export async function countClicks(page: Page): Promise<{
  /** Returns the clicks since the last call. */
  take(): Promise<number>
}> {
  let clicks = 0
  const name = 'noteClickOfTest'
  await page.exposeFunction(name, () => {
    clicks += 1
  })
  const listen = `addEventListener('pointerdown', ({ isTrusted }) => isTrusted && ${name}(), true)`
  await page.addInitScript(listen)
  await page.evaluate(listen)
  return {
    async take() {
      // Calls from the page arrive in their order, so all earlier clicks are counted after one more call.
      await page.evaluate(`${name}()`)
      const counted = clicks - 1
      clicks = 0
      return counted
    },
  }
}
