import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import root, { type Test } from 'tap'

/** Makes a folder that is removed when all tests of the process have ended. */
export function createProcessFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `svc-test-${name}-`))
  root.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }))
  return folder
}

let runtime: string | undefined
/** Where the homes of this process keep the engine's library: 36 MB, which each would make for itself. */
export function runtimeDirectory(): string {
  if (!runtime) {
    runtime = join(createProcessFolder('runtime'), 'runtime')
    mkdirSync(runtime)
  }
  return runtime
}

/** Makes an empty home that is removed when the test ends. */
export function createHome(t: Test, config: object = {}): string {
  const home = mkdtempSync(join(tmpdir(), 'svc-test-'))
  writeFileSync(join(home, 'config.json'), JSON.stringify(config))
  symlinkSync(runtimeDirectory(), join(home, 'runtime'))
  // An engine may write while it is removed; unlike the synchronous one this looks again for what is new.
  t.teardown(() => rm(home, { recursive: true, force: true, maxRetries: 20 }))
  return home
}
