import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { CLI, environment } from './kernel.ts'
import { readRecipe } from './readme.ts'
import type { TestServer } from './server.ts'

/**
 * Runs a shell example of the README against a server, as its administrator, in a folder of its own; gives what it prints.
 * `more` are variables that take the place of what the example names.
 */
export async function runRecipe(
  t: Test,
  name: string,
  { home, url, admin }: TestServer,
  more: Record<string, string> = {},
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-recipe-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  // `npx svc` runs the program of the clone that it is called in.
  const npx = `#!/bin/sh\nshift\nexec "${process.execPath}" "${CLI}" "$@"\n`
  writeFileSync(join(folder, 'npx'), npx, { mode: 0o755 })
  const env = environment(home, {
    PATH: `${folder}${delimiter}${process.env.PATH}`,
    URL: `${url}/api`,
    SVC_URL: url,
    SVC_PASSWORD: admin.password,
    TOKEN: admin.token,
    ...more,
  })
  const { stdout } = await promisify(execFile)('sh', ['-ec', readRecipe(name)], { env, cwd: folder })
  return stdout
}
