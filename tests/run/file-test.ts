import root, { type Test } from 'tap'

let current: Test = root

/** The parent of the tests of the running file; tap's root test if the file was started with `node`. */
export { current as default, root, type Test }

/** Runs a test file as one test of this process. Resolves when all tests of the file have ended. */
export async function runFile(name: string, url: URL): Promise<void> {
  await root.test(name, async (t) => {
    current = t
    await import(url.href)
  })
}
