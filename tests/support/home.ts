import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, type Test } from '../run/file-test.ts'

/** Creates a folder that is removed when all tests of the process have ended. */
export function createProcessFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `svc-test-${name}-`))
  root.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }))
  return folder
}

let runtime: string | undefined
/** Returns the folder for the engine's library (36 MB), which all homes of this process share. */
export function runtimeDirectory(): string {
  if (!runtime) {
    runtime = join(createProcessFolder('runtime'), 'runtime')
    mkdirSync(runtime)
  }
  return runtime
}

/** Creates an empty home that is removed when the test ends. */
export function createHome(t: Test, config: object = {}): string {
  const home = mkdtempSync(join(tmpdir(), 'svc-test-'))
  writeFileSync(join(home, 'config.json'), JSON.stringify(config))
  symlinkSync(runtimeDirectory(), join(home, 'runtime'))
  // An engine may still write while its home is removed; unlike `rmSync`, this call finds files created meanwhile.
  t.teardown(() => rm(home, { recursive: true, force: true, maxRetries: 20 }))
  return home
}
