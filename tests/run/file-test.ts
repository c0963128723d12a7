import root, { type Test } from 'tap'

let current: Test = root

/** The test that holds those of the file that is running; the root of the process if the file runs by itself. */
export { current as default, type Test }

/** Runs a test file as one test of this process. Resolves when all that the file declares has ended. */
export async function runFile(name: string, url: URL): Promise<void> {
  await root.test(name, async (t) => {
    current = t
    await import(url.href)
  })
}
