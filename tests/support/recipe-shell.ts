import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { Test } from '../run/file-test.ts'
import { CLI, createEnvironment, runCommand } from './kernel.ts'
import { readRecipe } from './readme.ts'
import type { TestServer } from './server.ts'

/**
 * Runs a shell example of the pages against a server, as its administrator, in a folder of its own; returns its output.
 * `more` holds further variables, which replace the defaults of the example.
 */
export async function runRecipe(
  t: Test,
  name: string,
  { home, url, admin }: TestServer,
  more: Record<string, string> = {},
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-recipe-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const variables = {
    URL: `${url}/api`,
    SVC_URL: url,
    SVC_PASSWORD: admin.password,
    TOKEN: admin.token,
    ...more,
  }
  const npx = npxScript(await serveCommands(t, home, variables))
  writeFileSync(join(folder, 'npx'), npx, { mode: 0o755 })
  const env = createEnvironment(home, { PATH: `${folder}${delimiter}${process.env.PATH}`, ...variables })
  const { stdout } = await promisify(execFile)('sh', ['-ec', readRecipe(name)], { env, cwd: folder })
  return stdout
}

/**
 * The program `npx` of an example: `npx svc` runs in the test's process, except for `svc replay`, which reads a file in
 * the folder of the shell.
 */
const npxScript = (commands: string) => `#!/bin/sh
shift
[ "$1" = replay ] && exec "${process.execPath}" "${CLI}" "$@"
for argument; do
  shift
  set -- "$@" --data-urlencode "argument=$argument"
done
exec curl -sS --fail-with-body --noproxy '*' "$@" ${commands}
`

/** Runs `svc` for each request, whose form has the arguments; returns the address. A command that fails is a 500. */
async function serveCommands(t: Test, home: string, env: Record<string, string>): Promise<string> {
  const server = createServer(async (request, response) => {
    const args = new URLSearchParams(await text(request)).getAll('argument')
    const { code, stdout, stderr } = await runCommand(home, args, { env })
    response.writeHead(code === 0 ? 200 : 500).end(code === 0 ? stdout : `${stdout}${stderr}`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
